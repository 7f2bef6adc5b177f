package main

import (
	"strings"
	"testing"

	"confluence/views/i18n"
)

// speaks has the visitor choose a language on the page where they are.
func (v *visitor) speaks(l *i18n.Language) {
	v.t.Helper()
	v.press(l.Name)
	v.until(soonEnough, "the page in "+l.Code, func() bool {
		return eval[string](v, `document.documentElement.lang + " " + document.documentElement.dir`) == l.Code+" "+l.Dir
	})
}

// TestEveryLanguage goes the whole way in languages that differ from English in length, in script and in direction: axe-core finds no fault,
// nothing sticks out, and what is told live is in the page's language.
func TestEveryLanguage(t *testing.T) {
	for _, code := range []string{"de", "ru", "ar", "ja"} {
		t.Run(code, func(t *testing.T) { wholeWayIn(t, i18n.ByCode(code)) })
	}
	contactSheet(t)
}

func wholeWayIn(t *testing.T, l *i18n.Language) {
	server := serving(t, "--queue-heartbeat-seconds=60")
	release := holdTheSlot(t.Context(), t, server)
	ahead := newClient(server.url, nil)
	if _, err := ahead.join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	v, wall := newVisitor(t, server.url), newVisitor(t, server.url)
	v.open("?example=2")
	v.writes("#query", branchesQuery)
	v.speaks(l)
	v.holds(branchesQuery) // what was written comes along
	v.sees(soonEnough, l.Say("form.wait"))
	v.looksWell("form-" + l.Code)
	v.pressMain()
	v.sees(soonEnough, l.Say("wait.ahead", "n", 1), l.Say("wait.live"))
	v.looksWell("wait-" + l.Code)
	wall.open("kiosk?lang=" + l.Code)
	wall.sees(soonEnough, l.Say("kiosk.inLine", "n", 2), l.Say("kiosk.now"))
	wall.looksWell("kiosk-" + l.Code)

	ahead.leaves(t)
	v.sees(soonEnough, l.Say("wait.next")) // by the socket: nothing was loaded
	v.click("#auto")
	release()
	v.sees(soonEnough, l.Say("turn"))
	v.looksWell("turn-" + l.Code)
	wall.sees(soonEnough, l.Say("kiosk.turn"), v.number())
	v.press(l.Say("turn.run"))
	v.sees(soonEnough, l.Say("result.took"), "closed")
	v.looksWell("result-" + l.Code)
}

// TestLanguageSwitchWithoutScript: the switch is a plain form that leads back to where one is.
func TestLanguageSwitchWithoutScript(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	v.withoutScript()
	german, arabic := i18n.ByCode("de"), i18n.ByCode("ar")
	v.open("runs?from=here")
	v.speaks(german)
	v.sees(soonEnough, german.Say("runs.lead"))
	if where := eval[string](v, `location.pathname + location.search`); where != "/runs?from=here" {
		t.Errorf("the switch led to %s", where)
	}
	v.open("")
	v.sees(soonEnough, german.Say("form.run")) // it is kept
	v.speaks(arabic)
	v.sees(soonEnough, arabic.Say("form.examples"))
	if text := v.text(); strings.Contains(text, german.Say("form.run")) {
		t.Errorf("two languages at once:\n%s", text)
	}
}
