package queue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"confluence/queue"
)

// case: clock-step
//
// The wall clock can't be stepped in a test, but it needn't be: the line knows only differences of one monotonic clock. The following holds
// that the sources read the time in one place, which measures since a reading that carries the monotonic clock; package time defines that
// differences of such readings don't follow the wall clock.
func TestWallClockIsReadNowhere(t *testing.T) {
	sources := token.NewFileSet()
	var reads []string
	for _, folder := range []string{".", "memory"} {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%d files in %s, %v", len(names), folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(sources, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			reads = append(reads, timeUses(t, sources, file)...)
		}
	}
	if len(reads) != 2 || reads[0] != "Monotonic: time.Now" || reads[1] != "Monotonic: time.Since" {
		t.Errorf("the time is read in %v; it must be in Monotonic alone", reads)
	}
	if now := time.Now().String(); !strings.Contains(now, " m=") {
		t.Errorf("a reading carries no monotonic clock: %s", now)
	}
}

// harmless are the names of package time that tell lengths of time and no instant. Timers follow the monotonic clock.
var harmless = map[string]bool{
	"Duration": true, "Nanosecond": true, "Millisecond": true, "Second": true, "Minute": true, "Hour": true, "NewTimer": true,
}

// timeUses are the places of a file that use package time for more than lengths, by function.
func timeUses(t *testing.T, sources *token.FileSet, file *ast.File) (reads []string) {
	imported := false
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == "time" {
			imported = true
			if spec.Name != nil {
				t.Errorf("%s: package time under another name", sources.Position(spec.Pos()))
			}
		}
	}
	if !imported {
		return nil
	}
	for _, decl := range file.Decls {
		name := "a declaration"
		if fn, ok := decl.(*ast.FuncDecl); ok {
			name = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && !harmless[sel.Sel.Name] {
					reads = append(reads, name+": time."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return reads
}

// case: clock-step (with five waiting)
func TestOnlyLengthsOfTimeCount(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.after(1000 * time.Hour) // wherever the clock stands
		r.join("called", "1", "2", "3", "4", "5")
		r.after(heartbeat)
		for i, session := range []string{"1", "2", "3", "4", "5"} {
			r.wantStanding(session, queue.Queued, i+2)
		}
		if v := r.wantStanding("called", queue.Ready, 1); v.ReservationIn != seconds(30) {
			t.Errorf("the window is %+v", v.ReservationIn)
		}
	})
}

func TestMonotonicNeverFalls(t *testing.T) {
	clock := queue.Monotonic()
	last := clock()
	for range 10_000 {
		now := clock()
		if now < last {
			t.Fatalf("from %v to %v", last, now)
		}
		last = now
	}
	if last <= 0 || last > time.Hour {
		t.Errorf("it stands at %v since its start", last)
	}
}
