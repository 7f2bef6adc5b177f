package web

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A run of a page is watched by looking: a reload never stops it, and being away for too long does.
func TestRunWithoutWatcherEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		running := pageRunOf(t, visitor, "hold")
		for range 5 {
			time.Sleep(29 * time.Second)
			visitor.get(running).shows(t, 200, "Running your query")
		}
		site.visitor().get(running).shows(t, 404)
		time.Sleep(31 * time.Second)
		visitor.get(running).shows(t, 200, "nobody was watching", "Nobody watched this run for 30 seconds")
		if picture, _ := site.line.Picture(t.Context()); !picture.Free {
			t.Errorf("the slot is not free: %+v", picture)
		}
	})
}

// other-peoples-run, by page: somebody else's run is not there.
func TestForeignRunIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		owner, stranger := site.visitor(), site.visitor()
		running := pageRunOf(t, owner, "hold")
		stranger.get("/")
		theirs, unknown := stranger.get(running), stranger.get("/runs/r_0123456789abcdef")
		theirs.shows(t, 404, "There is no such page")
		id := regexp.MustCompile(`req_[A-Z0-9]+|value="/runs/[^"]+"`)
		if a, b := id.ReplaceAllString(theirs.body, ""), id.ReplaceAllString(unknown.body, ""); a != b || unknown.status != 404 {
			t.Errorf("a foreign and an unknown run differ:\n%s\n%s", a, b)
		}
		stranger.post(running+"/cancel").shows(t, 404)
		owner.get(running).shows(t, 200, "Running your query")
	})
}

// An answer of no words is an empty text, and no table without rows.
func TestEmptyAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		page := visitor.goes(visitor.post("/query", "query", "say nothing"), "/runs/")
		page.shows(t, 200, "The answer is empty")
		if strings.Contains(page.body, "Rows") {
			t.Errorf("it counts rows\n%s", page.body)
		}
	})
}
