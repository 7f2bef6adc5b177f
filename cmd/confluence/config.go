package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"confluence/queue"
	"confluence/web"
)

// envPrefix and the flag's name, in capitals and with underscores, make the name of a setting in the environment.
const envPrefix = "CONFLUENCE_WEB_"

// settings is what an operator decides. Each field is a flag of `serve` and a variable of the environment; the flag wins.
// The types (seconds, count, …) are in setting.go; min and max bound a number.
type settings struct {
	Addr    string `type:"address" default:"127.0.0.1:8080" group:"Where" help:"Address to listen on, as host:port."`
	DataDir string `type:"folder" default:"./data" group:"Where" help:"Folder for the line, the session key, the demo database and long results; made at need, for its owner alone. Empty: nothing outlives the process."`

	doorSettings   `embed:""`
	brandSettings  `embed:""`
	runnerSettings `embed:""`

	Reservation time.Duration `name:"queue-reservation-seconds" type:"seconds" default:"60" group:"The line" help:"How long a called ticket may take to start its run."`
	Heartbeat   time.Duration `name:"queue-heartbeat-seconds" type:"seconds" default:"30" group:"The line" help:"A waiting ticket that is not heard of for longer is dropped."`
	MaxLength   int           `name:"queue-max-length" type:"count" min:"0" default:"1000" group:"The line" help:"Tickets that may wait; 0: nobody waits."`
	Slots       int           `name:"queue-slots" type:"count" min:"1" default:"1" group:"The line" help:"Runs at the same time."`
	InitialRun  time.Duration `name:"queue-initial-run-seconds" type:"seconds" min:"0" default:"0" group:"The line" help:"First guess of a run's duration, for the waits that are told before a run has ended; 0: none is told."`
	PollBurst   int           `type:"count" min:"1" default:"20" group:"The line" help:"Status calls and joins that a session may make at once."`
	PollRate    int           `name:"polls-per-second" type:"count" min:"1" default:"2" group:"The line" help:"Status calls and joins that a session may make a second in the long run. Who asks at the pace that is told stays below."`

	RunTimeout     time.Duration `name:"run-timeout-seconds" type:"seconds" default:"300" group:"Runs" help:"Time limit of a run."`
	RunUnwatched   time.Duration `name:"run-unwatched-seconds" type:"seconds" group:"Runs" placeholder:"SECONDS" help:"A page's run that nobody watches for so long ends. Default: the heartbeat."`
	StopGrace      time.Duration `name:"run-stop-grace-seconds" type:"seconds" default:"10" group:"Runs" help:"A run that has not stopped so long after it was told to counts as stuck: its slot is lost until it stops."`
	Health         time.Duration `name:"health-interval-seconds" type:"seconds" default:"5" group:"Runs" help:"How often the runner is asked whether it is well, and how long its answer may take."`
	MaxQueryBytes  int           `type:"count" min:"1" max:"1073741824" default:"1048576" group:"Runs" help:"Longest query."`
	MaxResultBytes int           `type:"count" min:"1" max:"1099511627776" default:"16777216" group:"Runs" help:"Largest result; a longer one is cut, and says so."`
	ResultTTL      time.Duration `name:"result-ttl-seconds" type:"seconds" default:"3600" group:"Runs" help:"How long a run and its result are kept after its end."`

	Drain time.Duration `name:"drain-seconds" type:"seconds" min:"0" default:"30" group:"Runs" help:"At a stop, how long the runs that go may take to end before they are interrupted; 0: they are at once. Nobody new is let in or called meanwhile, and nobody loses a place."`

	SessionKeys [][]byte `type:"keys" group:"Sessions" placeholder:"KEY,…" help:"Keys that sign the session cookie, separated by commas: the first signs, all are accepted. Each has 32 characters or more, such as openssl rand -base64 32 prints. Set them in the environment: flags can be seen by other users of the machine. Default: a key made once and kept in the data folder."`

	AdminToken  string `type:"admintoken" group:"The operator" placeholder:"TOKEN" help:"Opens the operator's desk at /admin: 16 characters or more, such as openssl rand -base64 32 prints. Set it in the environment: flags can be seen by other users of the machine. Default: there is no desk."`
	MetricsAddr string `type:"address" group:"The operator" placeholder:"HOST:PORT" help:"Address, as host:port, where Prometheus finds /metrics, in plain HTTP for whoever reaches it. Default: there are no metrics."`

	LogLevel   slog.Level `type:"level" default:"info" group:"Log" help:"Least level that is logged: debug, info, warn or error."`
	LogFormat  logFormat  `type:"format" default:"auto" group:"Log" help:"text, json, or auto: text on a terminal, else json."`
	RequestLog bool       `type:"switch" group:"Log" help:"Log one line a request."`
}

// check finds settings that don't go together.
func (s settings) check() error {
	if err := s.doorSettings.check(); err != nil {
		return err
	}
	return s.runnerSettings.check()
}

// shortestPolled is the shortest heartbeat and reservation with which a client that polls keeps its place and its turn: it is told to ask
// every second at the soonest.
const shortestPolled = 2 * time.Second

// doubts are what may be meant, but harms clients that poll. Those on sockets and streams are heard of all the time.
func (s settings) doubts() []string {
	var doubts []string
	if s.Heartbeat < shortestPolled || s.Reservation < shortestPolled {
		doubts = append(doubts, fmt.Sprintf("%s or %s is below %v: a client that polls every second, as it is told, can lose its place or its turn",
			envName("queue-heartbeat-seconds"), envName("queue-reservation-seconds"), shortestPolled))
	}
	if web.PollAfter(s.Heartbeat, s.Reservation) == 1 && (s.PollRate == 1 || s.PollBurst == 1) {
		doubts = append(doubts, fmt.Sprintf("a client that polls every second, as it is told, may be refused now and then: %s and %s should be 2 or more",
			envName("polls-per-second"), envName("poll-burst")))
	}
	return doubts
}

// line is the line's configuration at its start. A line that forgets over a restart begins its revision at the present time in
// milliseconds: an earlier process has not counted as far, unless its line changed a thousand times a second all its life.
func (s settings) line(start time.Time) queue.Config {
	return queue.Config{
		Slots:       s.Slots,
		MaxLength:   s.MaxLength,
		Reservation: s.Reservation,
		Heartbeat:   s.Heartbeat,
		InitialRun:  s.InitialRun,
		Revision:    start.UnixMilli(),
	}
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Serve    settings        `cmd:"" default:"withargs" help:"Serve the waiting room. This is what confluence alone does."`
	Ask      askCommand      `cmd:"" help:"Ask a running Confluence: join, wait, claim, and print the answer."`
	Loadtest loadtestCommand `cmd:"" help:"Play a crowd against a running Confluence, check what the line promises, and report how long things take."`
	Replay   struct {
		File string `arg:"" help:"File with one operation a line, as JSON; - is standard input."`
	} `cmd:"" help:"Run a file of operations through the line on a virtual clock, and compare the answers."`
	Inspect struct {
		DataDir string `arg:"" help:"Data folder of a Confluence that serves, or has stopped."`
		JSON    bool   `name:"json" help:"Print JSON, with whole texts and session names."`
	} `cmd:"" help:"Print what is stored in a data folder: tickets, line, runs, durations."`
	Backup struct {
		DataDir string `arg:"" help:"Data folder of a Confluence that serves, or has stopped."`
		File    string `arg:"" help:"File to write, which must not be there."`
	} `cmd:"" help:"Copy the line of a data folder into a file, while Confluence serves or not."`
	Simulate simulateCommand `cmd:"" help:"Play a line on a virtual clock: how long people would wait, and how good the estimates are."`
	Version  struct{}        `cmd:"" help:"Print the version."`
}

// invocation is what the command line and the environment ask for.
type invocation struct {
	commandLine
	command string   // serve, ask, loadtest, replay, inspect, backup, simulate, version; empty: all was said (help)
	unknown []string // names in the environment that look like settings and aren't: most likely a slip of the pen
}

// parse reads the command line and the environment (as "NAME=value").
func parse(args, environ []string, out, errs io.Writer) (invocation, error) {
	var asked invocation
	helped := false
	parser, err := kong.New(&asked.commandLine,
		kong.Name("confluence"),
		kong.Description("A waiting room in front of a query runner that can serve only one person at a time. The settings: confluence serve --help."),
		kong.Writers(out, errs),
		kong.Exit(func(int) { helped = true }),
		kong.Resolvers(environment(environ)),
		kong.WithHyphenPrefixedParameters(true),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.ValueFormatter(helpOf),
		kong.NamedMapper("address", setting(parseAddress)),
		kong.NamedMapper("text", setting(parseText)),
		kong.NamedMapper("folder", setting(parseFolder)),
		kong.NamedMapper("database", setting(parseDatabase)),
		kong.NamedMapper("seconds", setting(parseSeconds)),
		kong.NamedMapper("count", setting(parseCount)),
		kong.NamedMapper("share", setting(parseShare)),
		kong.NamedMapper("length", setting(parseLength)),
		kong.NamedMapper("span", setting(parseSpanKind)),
		kong.NamedMapper("amount", setting(parseAmount)),
		kong.NamedMapper("keys", setting(parseKeys)),
		kong.NamedMapper("admintoken", setting(parseAdminToken)),
		kong.NamedMapper("level", setting(parseLevel)),
		kong.NamedMapper("format", setting(parseFormat)),
		kong.NamedMapper("switch", switchMapper{}),
		kong.NamedMapper("runner", setting(parseRunner)),
		kong.NamedMapper("argv", setting(parseArgv)),
		kong.NamedMapper("publicurl", setting(parsePublicURL)),
		kong.NamedMapper("brandcolor", setting(parseBrandColor)),
		kong.NamedMapper("brandlinks", setting(parseBrandLinks)),
		kong.NamedMapper("basepath", setting(parseBasePath)),
		kong.NamedMapper("origins", setting(parseOrigins)),
		kong.NamedMapper("networks", setting(parseNetworks)),
		kong.NamedMapper("header", setting(parseHeader)),
	)
	if err != nil {
		return asked, fmt.Errorf("the grammar of the command line: %w", err)
	}
	if len(args) == 1 && customary[args[0]] != "" {
		args = []string{customary[args[0]]}
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return invocation{}, nil
	case err != nil:
		return asked, refusal(err)
	}
	asked.command, _, _ = strings.Cut(parsed.Command(), " ")
	asked.unknown = unknownSettings(environ, parser.Model)
	switch asked.command {
	case "serve":
		return asked, asked.Serve.check()
	case "simulate":
		return asked, asked.Simulate.check()
	}
	return asked, nil
}

// customary is what people try first, and what it is called here.
var customary = map[string]string{"help": "--help", "--version": "version", "-V": "version"}

// envName is the name of a flag in the environment.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment finds settings among "NAME=value" pairs; an empty value is no value, but for the data folder, where it says that there is none.
func environment(environ []string) kong.Resolver {
	values := map[string]string{}
	for _, pair := range environ {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, envPrefix) && (value != "" || name == envName("data-dir")) {
			values[name] = value
		}
	}
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value, ok := values[envName(flag.Name)]; ok {
			return value, nil
		}
		return nil, nil
	})
}

func unknownSettings(environ []string, grammar *kong.Application) []string {
	known := map[string]bool{}
	for _, command := range grammar.Leaves(false) {
		for _, flag := range command.Flags {
			known[envName(flag.Name)] = true
		}
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) && !known[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// helpOf is a value's help, with its name in the environment.
func helpOf(value *kong.Value) string {
	if value.Flag == nil || value.Name == "help" {
		return value.Help
	}
	return value.Help + " (" + envName(value.Name) + ")"
}

// logger writes to w by the settings of the log.
func (s settings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == formatText || s.LogFormat == formatAuto && isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
