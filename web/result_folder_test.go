package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
	"confluence/views/i18n"
)

// filesIn are the names of the files of a folder, without those that say what a run was.
func filesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	must(t, err)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), runFilePrefix) && !strings.HasPrefix(entry.Name(), "."+runFilePrefix) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func smallFolder(t *testing.T, beyond int64) *resultFolder {
	t.Helper()
	folder, err := openResultFolder(t.TempDir())
	must(t, err)
	folder.beyond = beyond
	return folder
}

func TestResultFolderIsPrivateAndBeginsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "results")
	must(t, os.MkdirAll(path, 0o755))
	for _, name := range []string{"answer-17", "kept.txt"} {
		must(t, os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600))
	}
	folder, err := openResultFolder(path)
	must(t, err)
	if _, err := folder.load(func(message string, about ...any) { t.Error(message, about) }); err != nil {
		t.Error(err)
	}
	if got := filesIn(t, path); !reflect.DeepEqual(got, []string{"kept.txt"}) { // what isn't ours is left alone
		t.Errorf("left: %v", got)
	}
	file, err := folder.create()
	must(t, err)
	must(t, file.Close())
	for name, want := range map[string]os.FileMode{path: 0o700, file.Name(): 0o600} {
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode().Perm())
		}
	}
	if _, err := openResultFolder(filepath.Join(path, "kept.txt")); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// A transcript on disk reads as one in memory does, whatever is written and wherever a reader begins, also over the move.
func TestTranscriptOnDiskReadsAsInMemory(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		folder := smallFolder(t, random.Int64N(200_000))
		table := seed%2 == 0
		pair := []*transcript{newTranscript(1<<20, nil), newTranscript(1<<20, folder)}
		early := pair[1].follow() // reads on while the answer moves
		defer early.close()
		at, row := 0, 0
		for range 40 {
			size := random.IntN(3_000)
			if random.IntN(8) == 0 {
				size = 120_000
			}
			cell := strings.Repeat("é", size) + fmt.Sprint(seed, size)
			for _, a := range pair {
				switch {
				case table && row == 0:
					must(t, errors.Join(a.Columns(columns("n", "cell")), a.Rows([][]any{{int64(row), cell}})))
				case table && row == 17:
					_ = a.Rows([][]any{{int64(row), []byte(cell)}})
				case table:
					_ = a.Rows([][]any{{int64(row), cell}})
				default:
					_ = a.Text(cell)
				}
			}
			row++
			p, _, err := early.read(at)
			must(t, err)
			at = p.next
		}
		for _, a := range pair {
			must(t, a.seal())
		}
		var want, got runState
		pair[0].describe(&want)
		pair[1].describe(&got)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
		for range 20 {
			at := random.IntN(row + 2)
			if !table {
				at = random.IntN(int(want.TextBytes) + 2)
			}
			for steps := 0; ; steps++ {
				p, changed := readOf(t, pair[0], at)
				q, alsoChanged := readOf(t, pair[1], at)
				if !reflect.DeepEqual(p, q) || changed != nil || alsoChanged != nil || steps > 10_000 {
					t.Fatalf("seed %d at %d: %d bytes and %d bytes", seed, at, len(p.rows)+len(p.text), len(q.rows)+len(q.text))
				}
				if p.end {
					break
				}
				at = p.next
			}
		}
		memory, disk := pair[1].size()
		if onDisk := len(filesIn(t, folder.path)); (onDisk == 1) != (disk > 0) || onDisk == 1 && memory > 100_000 {
			t.Errorf("seed %d: %d files, %d bytes in memory, %d on disk", seed, onDisk, memory, disk)
		}
		must(t, pair[1].discard())
		if left := filesIn(t, folder.path); len(left) != 0 {
			t.Errorf("seed %d: left %v", seed, left)
		}
	}
}

// An answer that can't be kept is cut, and says so to its owner; why is for the operator.
func TestNoRoomForAnAnswer(t *testing.T) {
	st := open(t, siteOptions{options: Options{ResultFolder: filepath.Join(t.TempDir(), "results")}})
	must(t, os.Remove(st.server.runs.folder.path))
	st.runner.on("big", func(_ context.Context, out runner.Sink) error {
		for {
			if err := out.Text(strings.Repeat("x", 1<<20)); err != nil {
				return err
			}
		}
	})
	v := st.visitor()
	got := v.post("/api/v1/query", query("big")).json(t)
	text, _ := got["text"].(string)
	if got["outcome"] != "succeeded" || got["truncated"] != true || got["truncated_reason"] != i18n.English.Tell(noRoom) || len(text) != memoryPerAnswer {
		t.Errorf("%v, %v, %v, %d bytes", got["outcome"], got["truncated"], got["truncated_reason"], len(text))
	}
	if !strings.Contains(st.log.String(), "could not be kept whole") || !strings.Contains(st.log.String(), "no such file") {
		t.Errorf("the log: %s", st.log)
	}
}

// bigTable writes rows of about a kilobyte.
func bigTable(rows int64) func(context.Context, runner.Sink) error {
	return func(_ context.Context, out runner.Sink) error {
		if err := out.Columns(columns("n", "words")); err != nil {
			return err
		}
		for i := range rows {
			if err := out.Rows([][]any{{i, strings.Repeat("word ", 200)}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Long answers lie in the folder until their time is over, and every way to read them gives them whole.
func TestLongAnswersLieOnDisk(t *testing.T) {
	const rows = 6_000
	path := filepath.Join(t.TempDir(), "results")
	st := open(t, siteOptions{options: Options{ResultFolder: path, MaxResultBytes: 64 << 20}})
	st.runner.on("big", bigTable(rows))
	v := st.visitor()
	x := st.begin(v, "big")
	x.wait(t.Context())
	eventually(t, "the run is kept", func() bool {
		st.server.runs.mu.Lock()
		defer st.server.runs.mu.Unlock()
		return st.server.runs.keptDisk > 5<<20 && st.server.runs.keptBytes < 1<<20
	})
	if files := filesIn(t, path); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
	output := "/api/v1/runs/" + x.id + "/output"
	lines, err := csv.NewReader(strings.NewReader(v.get(output + "?format=csv").body)).ReadAll()
	if err != nil || len(lines) != rows+1 || lines[rows][0] != fmt.Sprint(rows-1) {
		t.Errorf("CSV: %d lines, %v", len(lines), err)
	}
	if text := v.get(output + "?format=text").body; strings.Count(text, "\n") != rows+1 {
		t.Errorf("text: %d lines", strings.Count(text, "\n"))
	}
	for _, address := range []string{output + "?format=json", "/api/v1/runs/" + x.id} {
		var document struct {
			Rows [][]any
		}
		if err := json.Unmarshal([]byte(v.get(address).body), &document); err != nil || len(document.Rows) != rows || document.Rows[rows-1][0] != float64(rows-1) {
			t.Errorf("%s: %d rows, %v", address, len(document.Rows), err)
		}
	}
	got, _ := wantOneEnd(t, parseNumbers(v.get(output, "Accept", "text/event-stream").body))
	if len(got.cells) != 2*rows {
		t.Errorf("events: %d cells", len(got.cells))
	}
	if page := v.get("/runs/" + x.id).body; !strings.Contains(page, "The first 500 of 6,000 rows are shown here") {
		t.Error("the page doesn't say that it shows the first rows")
	}

	// Reading it again doesn't bring it back into memory.
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	response, err := v.request(t.Context(), http.MethodGet, output+"?format=csv", "")
	must(t, err)
	defer response.Body.Close()
	_, err = io.CopyN(io.Discard, response.Body, 4<<20)
	must(t, err)
	runtime.GC()
	runtime.ReadMemStats(&during)
	if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > 3<<20 {
		t.Errorf("a download holds %d bytes", grown)
	}

	// Who is reading when it is forgotten reads to the end; who comes later finds nothing.
	st.server.runs.mu.Lock()
	st.server.runs.forget(x)
	st.server.runs.mu.Unlock()
	if rest, err := io.ReadAll(response.Body); err != nil || !strings.HasSuffix(string(rest), "word \n") {
		t.Errorf("the rest of a download: %d bytes, %v", len(rest), err)
	}
	wantProblem(t, v.get(output), http.StatusNotFound, "not_found")
	if files := filesIn(t, path); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

// parseNumbers makes the numbers of rows strings, which wantOneEnd reads.
func parseNumbers(body string) []event {
	events := parseEvents(body)
	for i, ev := range events {
		var piece struct {
			Columns []string `json:"columns,omitempty"`
			Rows    [][]any  `json:"rows,omitempty"`
		}
		if ev.name != "output" || json.Unmarshal([]byte(ev.data), &piece) != nil {
			continue
		}
		for _, row := range piece.Rows {
			row[0] = fmt.Sprint(row[0])
		}
		data, _ := json.Marshal(piece)
		events[i].data = string(data)
	}
	return events
}

func TestResultsEndWithTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "results")
		st := open(t, siteOptions{options: Options{ResultFolder: path, ResultTTL: 10 * time.Minute}})
		defer st.stop()
		st.runner.on("big", bigTable(6_000))
		v := st.visitor()
		x := st.begin(v, "big")
		x.wait(t.Context())
		synctest.Wait()
		time.Sleep(10*time.Minute - time.Second)
		if answer := v.get("/runs/" + x.id); answer.status != http.StatusOK || !strings.Contains(answer.body, "kept for 10 minutes") {
			t.Errorf("before its time: %d", answer.status)
		}
		time.Sleep(2 * time.Second)
		p := wantProblem(t, v.get("/api/v1/runs/"+x.id), http.StatusNotFound, "not_found")
		if !strings.Contains(p["detail"].(string), "10 minutes") || len(filesIn(t, path)) != 0 {
			t.Errorf("%v, left %v", p["detail"], filesIn(t, path))
		}
		st.wantNoRuns()
	})
}

// The disk is bounded as well: the oldest go first.
func TestKeptFilesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	st := open(t, siteOptions{options: Options{ResultFolder: path}})
	st.server.runs.keepOnDisk = 20 << 20
	st.runner.on("big", bigTable(6_000))
	for range 6 {
		st.begin(st.visitor(), "big").wait(t.Context())
	}
	eventually(t, "three are kept", func() bool { return len(filesIn(t, path)) == 3 })
	st.stop()
	if left := filesIn(t, path); len(left) != 3 {
		t.Errorf("left after the stop: %v", left)
	}
}

// An answer whose file has gone behind our back is cut, never half and whole-looking.
func TestAnAnswerWhoseFileIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	st := open(t, siteOptions{options: Options{ResultFolder: path}})
	st.runner.on("big", bigTable(6_000))
	v := st.visitor()
	x := st.begin(v, "big")
	x.wait(t.Context())
	for _, name := range filesIn(t, path) {
		must(t, os.Truncate(filepath.Join(path, name), 1<<20))
	}
	output := "/api/v1/runs/" + x.id + "/output"
	for _, way := range []string{"?format=json", "?format=csv", "?format=text"} {
		if got := v.get(output + way); !got.cut && got.status == http.StatusOK {
			t.Errorf("%s looks whole: %d bytes", way, len(got.body))
		}
	}
	events := parseEvents(v.get(output, "Accept", "text/event-stream").body)
	if len(events) == 0 || events[len(events)-1].name == "end" {
		t.Errorf("%d events with an end", len(events))
	}
	if !strings.Contains(st.log.String(), "can't be read") {
		t.Error("the operator is not told")
	}
	must(t, os.RemoveAll(path))
	wantProblem(t, v.get("/api/v1/runs/"+x.id), http.StatusNotFound, "not_found")
	if page := v.get("/runs/" + x.id); page.status != http.StatusNotFound {
		t.Errorf("the page: %d", page.status)
	}
}
