package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
)

// counts-agree: whatever happens, the API, the pages, the wall screen, the operator's desk, the metrics and the tickets of all visitors tell of the same line, and
// each ticket that was given out is in line, has a slot, or has ended.
func TestCountsAgree(t *testing.T) {
	for slots := range 2 {
		t.Run(fmt.Sprintf("%d slots", slots+1), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { countsAgree(t, slots+1) })
		})
	}
}

func countsAgree(t *testing.T, slots int) {
	site := deskOpen(t, func(c *queue.Config, _ *Options) { c.Slots, c.MaxLength = slots, 5 })
	screen := site.visitor().open("/live/kiosk")
	random := rand.New(rand.NewPCG(1, uint64(slots)))
	var crowd []*pageVisitor
	for range 9 {
		crowd = append(crowd, site.visitor())
	}
	passer, operator := site.visitor(), site.operator()
	metrics := site.server.Metrics("under test")
	joined := int64(0)
	var heard livePicture
	for step := range 150 {
		v := crowd[random.IntN(len(crowd))]
		switch what := random.IntN(10); {
		case what < 4:
			v.post("/query", "query", fmt.Sprint("hold ", step))
		case what < 6:
			v.post("/leave")
		case what < 8:
			v.post("/claim")
		default:
			time.Sleep(time.Duration(random.IntN(25)) * time.Second)
		}
		liveSleep(200 * time.Millisecond)

		var public livePicture
		for range 3 { // a deadline may have passed just now, and the screen hear of it in a moment
			public = countsPublic(t, passer)
			if heard = screen.heard(heard); countsSame(public, heard) {
				break
			}
			liveSleep(200 * time.Millisecond)
		}
		if !countsSame(public, heard) {
			t.Fatalf("step %d: the API says %+v, the wall screen heard %+v", step, public, heard)
		}
		own := countsOf(t, crowd)
		for _, number := range slices.Concat(own.Serving, own.Called, own.Next) {
			joined = max(joined, number)
		}
		if !countsSame(public, own) {
			t.Fatalf("step %d: the API says %+v, the tickets %+v", step, public, own)
		}
		if seen := countsOnScreen(passer.get("/kiosk").body); !countsSame(public, seen) {
			t.Fatalf("step %d: the API says %+v, the wall screen %+v", step, public, seen)
		}
		if seen := countsOnDesk(operator.get("/admin").body); !countsSame(public, seen) {
			t.Fatalf("step %d: the API says %+v, the operator's desk %+v", step, public, seen)
		}
		countsMeasured(t, step, metrics, public, joined)
		people := "Nobody"
		if n := len(own.Next); n == 1 {
			people = "1 person"
		} else if n > 1 {
			people = fmt.Sprint(n, " people")
		}
		passer.get("/").shows(t, 200, people)
	}
	if joined < 20 {
		t.Errorf("the script made %d tickets only", joined)
	}
}

// countsOf is the line as its visitors know it, each by the own ticket.
func countsOf(t *testing.T, crowd []*pageVisitor) livePicture {
	t.Helper()
	var tickets []liveMessage
	for _, v := range crowd {
		answer := v.get("/api/v1/queue/status")
		if answer.status != 200 {
			continue
		}
		var m liveMessage
		if err := json.Unmarshal([]byte(answer.body), &m); err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, m)
	}
	slices.SortFunc(tickets, func(a, b liveMessage) int { return cmp.Compare(a.Position, b.Position) })
	var p livePicture
	for _, m := range tickets {
		switch m.Status {
		case "running":
			p.Serving = append(p.Serving, m.Number)
		case "ready":
			p.Called = append(p.Called, m.Number)
		default:
			p.Next = append(p.Next, m.Number)
		}
	}
	p.Length = len(p.Next)
	return p
}

// countsMeasured holds the metrics against the public picture, and the tickets given out against what became of them. Numbers count from 1
// in order of joining, so the highest that was seen is how many have joined at least.
func countsMeasured(t *testing.T, step int, metrics http.Handler, public livePicture, joined int64) {
	t.Helper()
	m := measure(t, metrics)
	waiting, reserved, running := m[`confluence_tickets{state="waiting"}`], m[`confluence_tickets{state="reserved"}`], m[`confluence_tickets{state="running"}`]
	if int(waiting) != public.Length || int(reserved) != len(public.Called) || int(running) != len(public.Serving) {
		t.Fatalf("step %d: the API says %+v, the metrics %v waiting, %v reserved, %v running", step, public, waiting, reserved, running)
	}
	ended := 0.0
	for name, value := range m {
		if strings.HasPrefix(name, "confluence_tickets_ended_total{") {
			ended += value
		}
	}
	if given := m["confluence_joins_total"]; given != waiting+reserved+running+ended || given < float64(joined) {
		t.Fatalf("step %d: %v tickets were given out, up to number %d; %v wait, %v are called, %v run, %v have ended", step, given, joined, waiting, reserved, running, ended)
	}
}

// countsPublic is the public picture.
func countsPublic(t *testing.T, v *pageVisitor) livePicture {
	t.Helper()
	var p livePicture
	if err := json.Unmarshal([]byte(v.get("/api/v1/queue").body), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// heard is the newest message of a socket, or what is given if there is none.
func (k *liveSocket) heard(before livePicture) livePicture {
	synctest.Wait()
	for len(k.messages) > 0 {
		m := <-k.messages
		before = m.livePicture
	}
	return before
}

var (
	countsFigure = regexp.MustCompile(`class="figure[^"]*">(\d+)<`)
	countsTicket = regexp.MustCompile(`<li class="ticket"><b>(\d+)<`)
	countsSlot   = regexp.MustCompile(`<td>(Running|Stopping|Called)</td><td class="num">(\d+)<`)
	countsInLine = regexp.MustCompile(`<dt>In line</dt><dd>(\d+)`)
	countsLength = regexp.MustCompile(`id="length">(\d+) in line`)
)

// countsOnDesk reads the operator's desk.
func countsOnDesk(page string) livePicture {
	var p livePicture
	for _, m := range countsSlot.FindAllStringSubmatch(page, -1) {
		if m[1] == "Called" {
			p.Called = append(p.Called, countsNumber(m[2]))
		} else {
			p.Serving = append(p.Serving, countsNumber(m[2]))
		}
	}
	for _, m := range countsTicket.FindAllStringSubmatch(page, -1) {
		p.Next = append(p.Next, countsNumber(m[1]))
	}
	if m := countsInLine.FindStringSubmatch(page); m != nil {
		p.Length = int(countsNumber(m[1]))
	}
	return p
}

func countsNumber(text string) (n int64) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// countsOnScreen reads the wall screen.
func countsOnScreen(page string) livePicture {
	numbers := func(re *regexp.Regexp, part string) (found []int64) {
		for _, m := range re.FindAllStringSubmatch(part, -1) {
			found = append(found, countsNumber(m[1]))
		}
		return found
	}
	var p livePicture
	for _, section := range strings.Split(page, "<section")[1:] {
		switch {
		case strings.Contains(section, `aria-label="Called"`):
			p.Called = numbers(countsFigure, section)
		case strings.Contains(section, `aria-label="Running"`):
			p.Serving = numbers(countsFigure, section)
		}
	}
	p.Next = numbers(countsTicket, page)
	p.Length = int(slices.Concat(numbers(countsLength, page), []int64{0})[0])
	return p
}

func countsSame(a, b livePicture) bool {
	slices.Sort(a.Serving)
	slices.Sort(b.Serving)
	return a.Length == b.Length && slices.Equal(a.Serving, b.Serving) && slices.Equal(a.Called, b.Called) && slices.Equal(a.Next, b.Next)
}
