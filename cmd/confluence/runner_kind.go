package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/alecthomas/kong"

	"confluence/queue/runner/command"
	"confluence/queue/runner/openai"
)

// The kinds of runner.
const (
	runnerSQL     = "sql"
	runnerCommand = "command"
	runnerOpenAI  = "openai"
)

// runnerSettings is what an operator decides about what stands behind the line.
type runnerSettings struct {
	Runner string `type:"runner" default:"sql" group:"The runner" help:"What answers the queries: sql, command or openai."`

	Database  string `type:"database" group:"The runner" placeholder:"FILE|URL" help:"sql: the database to ask, read-only: a SQLite file, or postgres://role:password@host:port/database, which belongs into the environment, as flags can be seen by other users of the machine. Without it a demo database is made in the data folder."`
	Documents string `type:"text" group:"The runner" placeholder:"FOLDER" help:"sql: a folder with text and Markdown files, whose full text is searched in place of a database. Changes are followed."`

	Command       []string `type:"argv" group:"The runner" placeholder:"JSON" help:"command: the program and its arguments, as a JSON array of strings; there is no shell. The query comes on its standard input, its standard output is the answer."`
	CommandEnv    string   `type:"text" group:"The runner" placeholder:"NAME,…" help:"command: variables of this process's environment that the program sees, beside PATH and LANG."`
	CommandMemory int      `name:"command-max-memory-bytes" type:"count" min:"16777216" max:"1099511627776" default:"4294967296" group:"The runner" help:"command: memory that a run may take."`

	OpenAIURL    string `name:"openai-url" type:"text" group:"The runner" placeholder:"URL" help:"openai: base URL of a server that speaks the chat completions protocol, mostly ending in /v1."`
	OpenAIModel  string `name:"openai-model" type:"text" group:"The runner" placeholder:"NAME" help:"openai: the model."`
	OpenAIKey    string `name:"openai-key" type:"text" group:"The runner" placeholder:"KEY" help:"openai: sent as bearer token. It belongs into the environment."`
	OpenAIPrompt string `name:"openai-system-prompt" type:"text" group:"The runner" placeholder:"TEXT" help:"openai: comes before each query."`
}

// check finds what the chosen runner lacks, and what belongs to another one.
func (s runnerSettings) check() error {
	for _, part := range []struct {
		runner, flag string
		set, needed  bool
	}{
		{runnerSQL, "database", s.Database != "", false},
		{runnerSQL, "documents", s.Documents != "", false},
		{runnerCommand, "command", len(s.Command) > 0, true},
		{runnerCommand, "command-env", s.CommandEnv != "", false},
		{runnerOpenAI, "openai-url", s.OpenAIURL != "", true},
		{runnerOpenAI, "openai-model", s.OpenAIModel != "", true},
		{runnerOpenAI, "openai-key", s.OpenAIKey != "", false},
		{runnerOpenAI, "openai-system-prompt", s.OpenAIPrompt != "", false},
	} {
		switch {
		case part.runner == s.Runner && part.needed && !part.set:
			return fmt.Errorf("--runner (%s) is %s: it needs --%s (%s)", envName("runner"), s.Runner, part.flag, envName(part.flag))
		case part.runner != s.Runner && part.set:
			return fmt.Errorf("--%s (%s) is for the runner %s, but --runner (%s) is %s: set it to %s, or leave the other out",
				part.flag, envName(part.flag), part.runner, envName("runner"), s.Runner, part.runner)
		}
	}
	if s.Database != "" && s.Documents != "" {
		return fmt.Errorf("--database (%s) and --documents (%s) are both set: choose one", envName("database"), envName("documents"))
	}
	return nil
}

// openCommand has the working folders of the runs below a folder.
func openCommand(s settings, below string) (*openedRunner, error) {
	o := command.Options{Argv: s.Command, Dir: below, MaxBytes: int64(s.MaxResultBytes), MaxMemory: int64(s.CommandMemory)}
	for name := range strings.SplitSeq(s.CommandEnv, ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Env = append(o.Env, name)
		}
	}
	asks, err := command.New(o)
	if err != nil {
		return nil, fmt.Errorf("%w: see --command (%s)", err, envName("command"))
	}
	return &openedRunner{asks, "the command " + strings.Join(s.Command, " "), nothingToStop}, nil
}

func openModel(s settings) (*openedRunner, error) {
	asks, err := openai.New(openai.Options{
		URL: s.OpenAIURL, Model: s.OpenAIModel, Key: s.OpenAIKey, SystemPrompt: s.OpenAIPrompt, MaxBytes: int64(s.MaxResultBytes),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: see --openai-url (%s) and --openai-model (%s)", err, envName("openai-url"), envName("openai-model"))
	}
	at := ""
	if u, err := url.Parse(s.OpenAIURL); err == nil {
		at = " at " + u.Host // the rest may hold secrets
	}
	return &openedRunner{asks, "the model " + s.OpenAIModel + at, nothingToStop}, nil
}

func parseRunner(text string, _ *kong.Tag) (string, error) {
	switch text {
	case runnerSQL, runnerCommand, runnerOpenAI:
		return text, nil
	}
	return "", notAllowed{allowed: "sql, command or openai"}
}

func parseArgv(text string, _ *kong.Tag) ([]string, error) {
	var argv []string
	if err := json.Unmarshal([]byte(text), &argv); err != nil || len(argv) == 0 || argv[0] == "" {
		return nil, notAllowed{allowed: `a JSON array of strings, the program first, such as ["/usr/bin/tr","a-z","A-Z"]`}
	}
	return argv, nil
}
