package views

import (
	"regexp"
	"slices"
	"sync"

	"confluence/static"
	"confluence/views/i18n"
)

var (
	importing = regexp.MustCompile(`(?m)^(?:import|\} from|import .* from) "\./([a-z]+\.js)";`)
	saying    = regexp.MustCompile(`\bsay\(\s*"([^"]+)"`)
)

// messagesOf are the messages that a page's script, and the modules which it imports, may say. The page carries them, so that a script speaks
// as soon as it runs and a page weighs no more than it says.
func messagesOf(l *i18n.Language, script string) i18n.Extract {
	return l.Extract(saidBy()[script])
}

// saidBy are the keys that each script may say, read once from the scripts themselves.
var saidBy = sync.OnceValue(func() map[string][]string {
	said := make(map[string][]string)
	for _, script := range []string{scriptPage, scriptForm, scriptWait, scriptTurn, scriptRun, scriptResult, scriptFull, scriptReturn, scriptKiosk, scriptAdmin} {
		modules := []string{script}
		for i := 0; i < len(modules); i++ {
			content := static.Content(modules[i])
			for _, found := range importing.FindAllStringSubmatch(content, -1) {
				if !slices.Contains(modules, found[1]) {
					modules = append(modules, found[1])
				}
			}
			for _, found := range saying.FindAllStringSubmatch(content, -1) {
				said[script] = append(said[script], found[1])
			}
		}
	}
	return said
})
