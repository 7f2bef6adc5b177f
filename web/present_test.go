package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
	"confluence/views/i18n"
)

var presentNow = time.Date(2026, 11, 30, 14, 32, 7, 0, time.UTC)

func presentSeconds(n int64) queue.Seconds { return queue.Seconds{N: n, Known: true} }

func presentWait(low, likely, high int64, basis queue.Basis) queue.Wait {
	return queue.Wait{Low: presentSeconds(low), Likely: presentSeconds(likely), High: presentSeconds(high), Basis: basis}
}

func presentParts() presenter {
	return presenter{
		lang: i18n.English,
		about: runner.Description{
			Title: "Ask the library’s database", Limits: "Read-only SQL, one statement.", About: "Tables: loans.",
			Examples: []runner.Example{{Title: "All", Text: "SELECT 1"}, {Title: "Some", Text: "SELECT 2"}},
		},
		line:       queue.Config{Slots: 1, MaxLength: 10, Reservation: time.Minute, Heartbeat: 30 * time.Second},
		maxQuery:   1 << 20,
		runTimeout: 5 * time.Minute,
		unwatched:  30 * time.Second,
		kept:       time.Hour,
	}
}

func presentQueued() queue.View {
	return queue.View{
		TicketID: "q_1", Number: 42, Status: queue.Queued, Position: 3, Ahead: 2, JoinedAt: 12, Runner: queue.RunnerRunning,
		Wait: presentWait(95, 190, 290, queue.BasisHistory), HeartbeatEvery: 30 * time.Second, RunElapsed: 50 * time.Second,
		UsualLow: presentSeconds(60), UsualHigh: presentSeconds(180), Kept: queue.Kept{Query: "SELECT 1", AutoStart: true},
	}
}

func presentPicture() queue.Picture {
	return queue.Picture{
		Slots: 1, Runner: queue.RunnerRunning, Length: 7, Serving: []int64{39}, Called: nil, Next: []int64{40, 41, 42, 43, 44, 45, 46},
		Wait: presentWait(480, 730, 1190, queue.BasisHistory), RunElapsed: 50 * time.Second,
		UsualLow: presentSeconds(60), UsualHigh: presentSeconds(180),
	}
}

func TestWaitingRoomWords(t *testing.T) {
	cases := []struct {
		name   string
		change func(*queue.View)
		title  string
		want   views.Phrase
		state  views.WaitState
	}{
		{"history", func(*queue.View) {}, "3 · about 3 minutes", views.Phrase{Headline: "About 3 minutes", Range: "likely 1 to 5"}, views.WaitLive},
		{"unknown", func(v *queue.View) { v.Wait = queue.Wait{Basis: queue.BasisNone}; v.UsualLow.Known = false },
			"3 · no estimate yet", views.Phrase{Headline: "No estimate yet", Range: "not enough runs have ended"}, views.WaitLive},
		{"first guess", func(v *queue.View) { v.Position, v.Ahead, v.Wait = 1, 0, presentWait(90, 90, 90, queue.BasisPrior) },
			"Next · about 90 seconds", views.Phrase{Headline: "About 90 seconds", Range: "a first guess"}, views.WaitLive},
		{"any moment", func(v *queue.View) { v.Position, v.Ahead, v.Wait = 1, 0, presentWait(0, 4, 40, queue.BasisHistory) },
			"Next · any moment", views.Phrase{Headline: "Any moment"}, views.WaitLive},
		{"overrun", func(v *queue.View) {
			v.Position, v.Ahead, v.Wait, v.RunElapsed = 1, 0, presentWait(0, 0, 0, queue.BasisHistory), 4*time.Minute
		}, "Next · longer than usual", views.Phrase{Headline: "Longer than usual",
			Why: "The query now running has taken 4 minutes; most take 1 to 3 minutes. You are called the moment it ends."}, views.WaitLive},
		{"paused", func(v *queue.View) { v.Paused = true }, "Paused · 3", views.Phrase{Headline: "About 3 minutes", Range: "likely 1 to 5"}, views.WaitPaused},
		{"unavailable", func(v *queue.View) { v.Runner = queue.RunnerUnavailable }, "Runner not answering · 3",
			views.Phrase{Headline: "About 3 minutes", Range: "likely 1 to 5"}, views.WaitUnavailable},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			v := presentQueued()
			test.change(&v)
			got := presentParts().wait(v, presentPicture(), presentNow)
			if got.Title != test.title || got.State != test.state {
				t.Errorf("title %q and state %q, want %q and %q", got.Title, got.State, test.title, test.state)
			}
			if diff := cmp.Diff(test.want, got.Phrase); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWaitingRoomStanding(t *testing.T) {
	got := presentParts().wait(presentQueued(), presentPicture(), presentNow)
	want := views.Wait{
		Page:   views.Page{Title: "3 · about 3 minutes", Icon: "icon-3.svg", RefreshSeconds: 10, KeptFor: "1 hour"},
		Number: 42, Place: 3, JoinedAt: 12, State: views.WaitLive,
		Phrase: views.Phrase{Headline: "About 3 minutes", Range: "likely 1 to 5"},
		Tickets: []views.Ticket{
			{Number: 39, Kind: views.TicketRunning}, {Number: 40}, {Number: 41}, {Number: 42, Kind: views.TicketMine},
		},
		Updated: views.At(presentNow), Query: "SELECT 1", AutoStart: true, HeartbeatMillis: 30_000, Heartbeat: "30 seconds",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(views.Page{})); diff != "" {
		t.Error(diff)
	}
}

// A page without scripts must look again three times within the heartbeat, whatever that is.
func TestRefreshWithinTheHeartbeat(t *testing.T) {
	for heartbeat, want := range map[time.Duration]int{
		30 * time.Second: 10, 10 * time.Minute: 10, 10 * time.Second: 3, time.Second: 1,
	} {
		v := presentQueued()
		v.HeartbeatEvery = heartbeat
		if got := presentParts().wait(v, presentPicture(), presentNow).RefreshSeconds; got != want {
			t.Errorf("heartbeat %v: refresh every %d s, want %d", heartbeat, got, want)
		}
	}
}

func TestTurn(t *testing.T) {
	v := presentQueued()
	v.Status, v.Position, v.Ahead, v.ReservationIn = queue.Ready, 1, 0, presentSeconds(48)
	v.Runner = queue.RunnerReserved
	picture := presentPicture()
	picture.Runner, picture.Serving, picture.Called, picture.Next = queue.RunnerReserved, nil, []int64{42}, []int64{43, 44}

	got := presentParts().turn(v, picture, "", views.Fault{}, presentNow)
	want := views.Turn{
		Page:   views.Page{Title: "Your turn: 48 seconds left", Icon: views.IconTurn, Tone: views.ToneTurn, RefreshSeconds: 49, RefreshTo: "/wait", KeptFor: "1 hour"},
		Number: 42, AutoStart: true, SecondsLeft: 48, WindowSeconds: 60, Window: "1 minute", NextNumber: 43,
		Updated: views.At(presentNow), Limits: "Read-only SQL, one statement.", Query: "SELECT 1", MaxBytes: 1 << 20,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(views.Page{})); diff != "" {
		t.Error(diff)
	}
	t.Run("refused text", func(t *testing.T) {
		got := presentParts().turn(v, picture, "SELEC", presentParts().rejected("near SELEC"), presentNow)
		if got.AutoStart || got.Query != "SELEC" || got.Fault.Detail != "near SELEC" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("runner away", func(t *testing.T) {
		v.Runner = queue.RunnerUnavailable
		got := presentParts().turn(v, picture, "", views.Fault{}, presentNow)
		if !got.Unavailable || got.RefreshSeconds != 10 {
			t.Errorf("unavailable %v, refresh %d", got.Unavailable, got.RefreshSeconds)
		}
	})
}

func TestExpired(t *testing.T) {
	ended := queue.Ended{Reason: queue.ReasonLapsed, Number: 42, Since: 3 * time.Second, Called: 63 * time.Second, Kept: queue.Kept{Query: "SELECT 1"}}
	cases := []struct {
		name   string
		change func(*queue.Ended, *queue.Picture)
		wentTo int64
	}{
		{"called", func(_ *queue.Ended, p *queue.Picture) { p.Called, p.Serving = []int64{43}, nil }, 43},
		{"running", func(_ *queue.Ended, p *queue.Picture) { p.Serving = []int64{43} }, 43},
		{"nobody", func(_ *queue.Ended, p *queue.Picture) { p.Serving = nil }, 0},
		{"an older one still runs", func(_ *queue.Ended, p *queue.Picture) { p.Serving = []int64{41} }, 0},
		{"several slots", func(_ *queue.Ended, p *queue.Picture) { p.Slots, p.Called = 2, []int64{43} }, 0},
		{"long ago", func(e *queue.Ended, p *queue.Picture) { e.Since, p.Serving = 5*time.Minute, []int64{57} }, 0},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			e, picture := ended, presentPicture()
			test.change(&e, &picture)
			got := presentParts().expired(e, picture, "SELECT 2", presentNow)
			if got.WentTo != test.wentTo || got.Query != "SELECT 2" || got.Window != "1 minute" {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := presentParts().expired(ended, presentPicture(), "", presentNow).CalledAt.Shown; got != "14:31:04" {
		t.Errorf("called at %s", got)
	}
}

func TestJoinHint(t *testing.T) {
	picture := presentPicture()
	picture.Called = []int64{38}
	if got := presentParts().joinHint(picture); got != "You would get place 9: about 10 minutes, likely 8 to 20." {
		t.Errorf("%q", got)
	}
	picture.Full = true
	if got := presentParts().joinHint(picture); got != "The line takes no more people at the moment." {
		t.Errorf("%q", got)
	}
	picture.Full, picture.Free = false, true
	if got := presentParts().joinHint(picture); got != "The runner is free: your query would start at once." {
		t.Errorf("%q", got)
	}
}

func TestFormOfWhoHasATicket(t *testing.T) {
	cases := []struct {
		status queue.Status
		words  string
		url    string
		free   bool
		hint   string
	}{
		{queue.Queued, "You are in line already: ticket 42, place 3.", "/wait", false, "You keep your place."},
		{queue.Ready, "It is your turn: ticket 42 was called.", "/wait", true, "This uses your turn."},
		{queue.Running, "A query of yours is running: ticket 42.", "/runs/r_1", false, "One at a time:"},
	}
	for _, test := range cases {
		v := presentQueued()
		v.Status, v.RunID = test.status, "r_1"
		got := presentParts().form(presentPicture(), &v, "", views.Fault{})
		if got.Mine == nil || got.Mine.Words != test.words || got.Mine.Link.URL != test.url || got.Free != test.free || !strings.HasPrefix(got.Hint, test.hint) {
			t.Errorf("%s: %+v %+v", test.status, got, got.Mine)
		}
	}
}

func TestFull(t *testing.T) {
	picture := presentPicture()
	got := presentParts().full(picture, "SELECT 1", 12)
	if got.Waiting != 7 || got.RetrySeconds != 12 || got.Query != "SELECT 1" || got.Hint != "A place comes free about every 2 minutes." {
		t.Errorf("%+v", got)
	}
	picture.UsualLow.Known = false
	if got := presentParts().full(picture, "", 0); got.Hint != "" || got.RetrySeconds != 1 {
		t.Errorf("%+v", got)
	}
}

func TestTableOfAnAnswer(t *testing.T) {
	st := runState{ID: "r_1", Columns: []string{"branch", "loans", "note"}, RowCount: 3}
	rows := [][]any{
		{"Harbour", json.Number("18204"), nil},
		{"Mill", nil, "<b>"},
		{"", json.Number("4.5"), strings.Repeat("x", pageCell+1)},
	}
	got := outputOf(st, rows)
	if !got.Cut || got.Total != 3 || len(got.Rows) != 3 {
		t.Errorf("cut %v, total %d, %d rows", got.Cut, got.Total, len(got.Rows))
	}
	want := []views.Column{{Name: "branch"}, {Name: "loans", Number: true}, {Name: "note"}}
	if diff := cmp.Diff(want, got.Columns); diff != "" {
		t.Error(diff)
	}
	if cell := got.Rows[0][2]; !cell.Null {
		t.Errorf("%+v is not null", cell)
	}
	if text := got.Rows[2][2].Text; text != strings.Repeat("x", pageCell)+"…" {
		t.Errorf("a long cell has %d bytes", len(text))
	}

	t.Run("more rows than a page holds", func(t *testing.T) {
		st.RowCount = 4
		if !outputOf(st, rows[:2]).Cut {
			t.Error("not said to be cut")
		}
		st.RowCount = 2
		if outputOf(st, rows[:2]).Cut {
			t.Error("said to be cut")
		}
	})
	t.Run("more bytes than a page holds", func(t *testing.T) {
		wide := make([]any, 40)
		for i := range wide {
			wide[i] = strings.Repeat("y", pageCell)
		}
		var many [][]any
		for range 20 {
			many = append(many, wide)
		}
		got := outputOf(runState{Columns: make([]string, len(wide)), RowCount: len(many)}, many)
		if !got.Cut || len(got.Rows) == 0 || len(got.Rows) > pageTable/(40*pageCell)+1 {
			t.Errorf("cut %v, %d rows", got.Cut, len(got.Rows))
		}
	})
}

func TestTextOfAnAnswer(t *testing.T) {
	got := outputOf(runState{Text: " two\nwords ", TextBytes: 11, Words: 2}, nil)
	if got.Kind != views.OutputText || got.Total != 2 || got.Cut {
		t.Errorf("%+v", got)
	}
	if got = outputOf(runState{Text: "two", TextBytes: 11, Words: 2}, nil); !got.Cut || got.Total != 2 {
		t.Errorf("%+v", got)
	}
	if got := outputOf(runState{}, nil); got.Kind != views.OutputNone {
		t.Errorf("%+v", got)
	}
}

func TestResult(t *testing.T) {
	st := runState{
		ID: "r_1", Number: 42, Query: "SELECT 1", Ended: presentNow, Elapsed: 78 * time.Second, Outcome: queue.Succeeded,
		Columns: []string{"n"}, RowCount: 1,
	}
	got := presentParts().result(st, [][]any{{json.Number("1")}})
	if got.Title != "1 row" || got.Took != "1 minute 18 seconds" || got.Finished.Shown != "14:32" || got.KeptUntil.Shown != "15:32" {
		t.Errorf("%+v", got)
	}
	st.Outcome, st.Detail = queue.TimedOut, i18n.Verbatim("…")
	if got := presentParts().result(st, nil); got.Title != "Incomplete answer" || got.Limit != "5 minutes" {
		t.Errorf("%+v", got)
	}
}

func TestKioskWords(t *testing.T) {
	picture := presentPicture()
	got := presentParts().kiosk(picture, "ask.example", presentNow)
	if got.Title != "Now running 39" || got.RunFor != "for 50 seconds; most take 1 to 3 minutes" || got.Length != 7 || got.Address != "ask.example" {
		t.Errorf("%+v", got)
	}
	picture.Called = []int64{40}
	if got := presentParts().kiosk(picture, "", presentNow); got.Title != "Your turn 40" {
		t.Errorf("title %q", got.Title)
	}
	picture.Called, picture.Serving = nil, nil
	if got := presentParts().kiosk(picture, "", presentNow); got.Title != "Nobody is running" || got.RunFor != "" {
		t.Errorf("%+v", got)
	}
}

func TestProblemWords(t *testing.T) {
	v := presentQueued()
	at := problemAt{requestID: "req_1", now: presentNow, standing: &v, reload: "/wait"}
	got := presentParts().problem(problemOf("internal"), at)
	if got.Heading != "Something broke on our side" || got.Standing != "Ticket 42 is safe: you are still in line, at place 3." ||
		got.Way.URL != "/wait" || got.RequestID != "req_1" || got.RefreshSeconds != 0 {
		t.Errorf("%+v", got)
	}
	got = presentParts().problem(problemOf("restarting"), problemAt{reload: "/wait"})
	if got.RefreshSeconds < 1 || got.RefreshTo != "/wait" || got.Tone != views.ToneStale || got.Way.URL != "/" {
		t.Errorf("%+v", got)
	}
	lasting := presentParts()
	lasting.lasting = true
	for words, is := range map[string]presenter{"you may have to join again": presentParts(), "keeps the place": lasting} {
		if got := is.problem(problemOf("restarting"), problemAt{}); !strings.Contains(got.Detail, words) {
			t.Errorf("%q is not in %q", words, got.Detail)
		}
	}
	for _, row := range problemCodes {
		page := presentParts().problem(problemOf(row.code), problemAt{})
		if page.Heading == "" || page.Detail == "" || strings.Contains(page.Detail, "/api/") {
			t.Errorf("%s: %q %q", row.code, page.Heading, page.Detail)
		}
	}
}

func TestFormModel(t *testing.T) {
	p := presentParts()
	got := p.form(presentPicture(), nil, "SELECT", views.Fault{})
	if got.Title != "7 waiting" || got.Hint != "You would get place 8. Looking is free: no ticket until you press." || got.Free {
		t.Errorf("%+v", got)
	}
	if len(got.Examples) != 2 || got.Examples[1].URL != "/?example=2" {
		t.Errorf("%+v", got.Examples)
	}
	if got := p.form(queue.Picture{Free: true}, nil, "", views.Fault{}); got.Title != "Ask" || got.Hint != "" || !got.Free {
		t.Errorf("%+v", got)
	}
	if got := p.form(presentPicture(), nil, "", presentParts().rejected("no such column")).Title; got != "Error: check your query" {
		t.Errorf("title %q", got)
	}
	for given, want := range map[string]string{"1": "SELECT 1", "2": "SELECT 2", "0": "", "3": "", "-1": "", "x": "", "": ""} {
		if got := p.example(given); got != want {
			t.Errorf("example %q is %q", given, got)
		}
	}
}
