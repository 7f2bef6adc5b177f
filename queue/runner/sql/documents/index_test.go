package documents

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

func TestIndexIsAsked(t *testing.T) {
	s := newShelf(t, map[string]string{
		"guide.md":         "# Opening hours\n\nThe library is open on Sundays.\n",
		"rules/loans.md":   "---\ntitle: \"Loan rules\"\n---\n# Else\nA loan ends after four weeks, on Sundays too.\n",
		"rules/notes.TXT":  "Überraschung: water damage",
		"rules/other.html": "<p>Sundays</p>",
	})
	s.open()
	s.eventually("guide.md: Opening hours", "rules/loans.md: Loan rules", "rules/notes.TXT: notes")
	r := s.runner()
	for query, want := range map[string]string{
		`SELECT path FROM documents WHERE documents MATCH 'sundays' ORDER BY rank`:                                 "[[guide.md] [rules/loans.md]]",
		`SELECT path FROM documents WHERE documents MATCH 'uberraschung'`:                                          "[[rules/notes.TXT]]",
		`SELECT snippet(documents, 2, '[', ']', '…', 4) FROM documents WHERE documents MATCH '"water damage"'`:     "[[Überraschung: [water damage]]]",
		`SELECT path FROM documents WHERE documents MATCH 'guide'`:                                                 "[]",
		`SELECT bytes FROM files WHERE path = 'rules/notes.TXT'`:                                                   "[[27]]",
		`SELECT count(*) FROM files JOIN documents ON documents.rowid = document_id WHERE modified > '2000-01-01'`: "[[3]]",
	} {
		if got := ask(t, r, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	d := r.Describe()
	if d.Title != "Search the documents in shelf" || d.About != "Tables: files. Full text: documents." {
		t.Errorf("%+v", d)
	}
	for _, example := range d.Examples {
		if got := ask(t, r, example.Text); got == "[]" {
			t.Errorf("the example %q finds nothing", example.Title)
		}
	}
	for _, secret := range []string{s.folder, filepath.Dir(s.folder)} {
		if content, err := os.ReadFile(s.database); err != nil || strings.Contains(string(content), secret) {
			t.Errorf("the index names the folder %s: %v", secret, err)
		}
	}
}

// A query goes on with the index that it opened; the next one sees the change.
func TestRunKeepsItsIndex(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "one"})
	s.open()
	r := s.runner()
	changed := false
	sink := runnertest.Recorder{OnOutput: func() {
		if !changed {
			changed = true
			s.write("b.md", "two")
			s.eventually("a.md: a", "b.md: b")
		}
	}}
	// The count is done after the first row was seen.
	query := `SELECT 1 UNION ALL SELECT count(*) FROM (SELECT value FROM generate_series(1, 3000000)) WHERE value > 0
		UNION ALL SELECT count(*) FROM documents`
	if err := r.Run(t.Context(), runner.Query{Text: query}, &sink); err != nil {
		t.Fatal(err)
	}
	_, rows := sink.Table()
	if len(rows) != 3 || rows[2][0] != int64(1) {
		t.Errorf("a run under way sees %v", rows)
	}
	if got := ask(t, r, `SELECT count(*) FROM documents`); got != "[[2]]" {
		t.Errorf("the next run sees %s", got)
	}
}

func TestFollowsChanges(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# One", "sub/b.md": "# Two", "sub/deep/c.md": "# Three"})
	s.open()
	s.eventually("a.md: One", "sub/b.md: Two", "sub/deep/c.md: Three")

	s.write("a.md", "# Six")
	s.eventually("a.md: Six", "sub/b.md: Two", "sub/deep/c.md: Three")

	// An editor writes another file and renames it.
	s.write("sub/.b.md.swp", "# New")
	s.must(os.Rename(s.path("sub/.b.md.swp"), s.path("sub/b.md")))
	s.eventually("a.md: Six", "sub/b.md: New", "sub/deep/c.md: Three")

	s.must(os.Rename(s.path("a.md"), s.path("sub/deep/z.md")))
	s.eventually("sub/b.md: New", "sub/deep/c.md: Three", "sub/deep/z.md: Six")

	// A new folder, and what is put into it afterwards and at once.
	s.write("new/er/d.md", "# Four")
	s.eventually("new/er/d.md: Four", "sub/b.md: New", "sub/deep/c.md: Three", "sub/deep/z.md: Six")
	s.write("new/er/e.md", "# Five")
	s.eventually("new/er/d.md: Four", "new/er/e.md: Five", "sub/b.md: New", "sub/deep/c.md: Three", "sub/deep/z.md: Six")

	// A folder is renamed, and then changed under its new name.
	s.must(os.Rename(s.path("new"), s.path("old")))
	s.eventually("old/er/d.md: Four", "old/er/e.md: Five", "sub/b.md: New", "sub/deep/c.md: Three", "sub/deep/z.md: Six")
	s.write("old/er/e.md", "# Seven")
	s.eventually("old/er/d.md: Four", "old/er/e.md: Seven", "sub/b.md: New", "sub/deep/c.md: Three", "sub/deep/z.md: Six")

	s.must(os.RemoveAll(s.path("old")))
	s.must(os.RemoveAll(s.path("sub/deep")))
	s.eventually("sub/b.md: New")
	if got := ask(t, s.runner(), `SELECT count(*) FROM documents WHERE documents MATCH 'three OR five OR seven'`); got != "[[0]]" {
		t.Errorf("what was removed is still found: %s", got)
	}
}

// A change that shows in neither size nor time is seen by its event.
func TestChangeOfSameSizeAndTime(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# One"})
	past := time.Now().Add(-time.Hour)
	s.must(os.Chtimes(s.path("a.md"), past, past))
	s.open()
	s.eventually("a.md: One")
	s.must(os.WriteFile(s.path("a.md"), []byte("# Six"), 0o644))
	s.must(os.Chtimes(s.path("a.md"), past, past))
	s.eventually("a.md: Six")
}

// The folder itself may be taken away and put back.
func TestFolderComesAndGoes(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# One"})
	s.options.Poll = 100 * time.Millisecond
	s.open()
	s.must(os.Rename(s.folder, s.folder+".away"))
	if !holds(10*time.Second, func() bool { return strings.Contains(s.log.String(), "can't be indexed now") }) {
		t.Errorf("nothing is said of it: %s", s.log)
	}
	s.eventually("a.md: One") // the index stays
	s.write("b.md", "# Two")  // another folder under the same name
	s.eventually("b.md: Two")
	s.write("c.md", "# Three")
	s.eventually("b.md: Two", "c.md: Three")
}

// Where no event comes, changes are seen at the next poll.
func TestPoll(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# One"})
	s.options.Poll = 50 * time.Millisecond
	s.open()
	s.must(s.index.watch.watcher.Close())
	s.write("a.md", "# Other")
	s.eventually("a.md: Other")
}

func TestBurstIsTakenTogether(t *testing.T) {
	s := newShelf(t, nil)
	s.options.Quiet = 200 * time.Millisecond
	s.open()
	for i := range 200 {
		s.write(strings.Repeat("d/", i%5)+string(rune('a'+i%26))+".md", strings.Repeat("x", i))
	}
	s.write("end.md", "")
	if !holds(10*time.Second, func() bool { return strings.Contains(s.indexed(), "end.md: end") }) {
		t.Error(s.indexed())
	}
	if n := strings.Count(s.log.String(), "documents have changed"); n > 5 {
		t.Errorf("%d editions for one burst", n)
	}
}

// Changes that never pause are taken all the same.
func TestEndlessBurst(t *testing.T) {
	s := newShelf(t, nil)
	s.options.Quiet, s.options.Latest = time.Minute, 300*time.Millisecond
	s.open()
	stop := make(chan struct{})
	defer close(stop)
	s.write("a.md", "")
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				_ = os.WriteFile(s.path("b.tmp"), nil, 0o644)
			}
		}
	}()
	s.eventually("a.md: a")
}

// A restart takes the index as it is, and what has changed meanwhile. Nothing is written if nothing has.
func TestRestart(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# One", "b.md": "# Two", "c.md": "\xff"})
	past := time.Now().Add(-time.Hour)
	s.must(os.Chtimes(s.path("a.md"), past, past))
	stopped := func() [32]byte {
		t.Helper()
		x, err := Open(t.Context(), s.options)
		s.must(err)
		s.must(x.Stop())
		s.must(x.Stop())
		content, err := os.ReadFile(s.database)
		s.must(err)
		return sha256.Sum256(content)
	}
	first := stopped()
	if second := stopped(); second != first {
		t.Error("the index was written though nothing has changed")
	}
	s.write("a.md", "# Changed")
	s.write("d.md", "# Four")
	s.must(os.Remove(s.path("b.md")))
	stopped()
	s.eventually("a.md: Changed", "d.md: Four")

	// Another folder, a damaged file and leftovers of a kill.
	leftover := filepath.Join(filepath.Dir(s.database), ".documents-1.tmp")
	s.must(os.WriteFile(leftover, []byte("half"), 0o600))
	content, err := os.ReadFile(s.database)
	s.must(err)
	for i := 4096; i < len(content); i++ {
		content[i] = 'x'
	}
	s.must(os.WriteFile(s.database, content, 0o600))
	stopped()
	s.eventually("a.md: Changed", "d.md: Four")
	if _, err := os.Stat(leftover); !os.IsNotExist(err) {
		t.Errorf("the leftover is there: %v", err)
	}
	s.must(os.Rename(s.folder, s.folder+"2"))
	s.options.Folder += "2"
	s.must(os.WriteFile(filepath.Join(s.options.Folder, "a.md"), []byte("# Else"), 0o644))
	stopped()
	s.eventually("a.md: Else", "d.md: Four")
}

func TestWhatIsLeftOut(t *testing.T) {
	s := newShelf(t, map[string]string{
		"good.md": "fine", "bom.txt": "\uFEFFfine", "latin.txt": "caf\xe9", "utf16.txt": "\xff\xfea\x00", "binary.md": "a\x00b", "large.md": strings.Repeat("x", 1001),
		".hidden.md": "x", ".git/notes.md": "x", "picture.png": "x", "README": "x", "folder.md/inside.md": "x", "empty.md": "", "name\xff.md": "x",
	})
	outside := filepath.Join(t.TempDir(), "outside.md")
	s.must(os.WriteFile(outside, []byte("secret"), 0o644))
	s.must(os.Symlink(outside, s.path("link-out.md")))
	s.must(os.Symlink("../"+filepath.Base(filepath.Dir(outside)), s.path("folder-out")))
	s.must(os.Symlink(filepath.Dir(outside), s.path("folder-out2")))
	s.must(os.Symlink("good.md", s.path("link-in.md")))
	s.must(os.Symlink("none.md", s.path("link-nowhere.md")))
	s.must(os.Symlink(".", s.path("loop")))
	s.must(os.Symlink("folder.md", s.path("link-folder.md")))
	s.must(syscall.Mkfifo(s.path("pipe.md"), 0o644))
	s.options.MaxFileBytes = 1000
	s.open()
	s.eventually("bom.txt: bom", "empty.md: empty", "folder.md/inside.md: inside", "good.md: good", "link-in.md: link-in")
	if got := ask(t, s.runner(), `SELECT count(*) FROM documents WHERE text = 'fine'`); got != "[[3]]" {
		t.Errorf("the mark at the beginning is in the text, or the link isn't followed: %s", got)
	}
	log := s.log.String()
	for name, reason := range map[string]string{
		"latin.txt": "not UTF-8", "utf16.txt": "binary", "binary.md": "binary", "large.md": "1001 bytes, more than 1000", "link-out.md": "leads out",
		"link-nowhere.md": "nowhere", "link-folder.md": "not a file", "pipe.md": "not a file", `\xff.md`: "name is not UTF-8",
	} {
		found := false
		for line := range strings.Lines(log) {
			found = found || strings.Contains(line, name) && strings.Contains(line, reason)
		}
		if !found {
			t.Errorf("no line says of %s: %s", name, reason)
		}
	}
	for _, silent := range []string{"hidden", ".git", "picture", "README"} {
		if strings.Contains(log, silent) {
			t.Errorf("the log speaks of %s", silent)
		}
	}
	// It is said once, and what is mended is indexed.
	s.write("latin.txt", "café")
	s.must(os.Remove(s.path("good.md")))
	s.eventually("bom.txt: bom", "empty.md: empty", "folder.md/inside.md: inside", "latin.txt: latin")
	if n := strings.Count(s.log.String(), "binary.md"); n != 1 {
		t.Errorf("it is said %d times that binary.md is left out", n)
	}
	// A document that becomes something else is taken out.
	s.write("empty.md", "\x00")
	s.must(os.Remove(s.path("folder.md/inside.md")))
	s.must(os.Symlink(outside, s.path("folder.md/inside.md")))
	s.eventually("bom.txt: bom", "latin.txt: latin")
}

func TestCaps(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "1234567890", "b.md": "1234567890", "c.md": "1", "d.md": "1", "e.md": "1"})
	s.options.MaxFiles, s.options.MaxBytes = 3, 15
	s.open()
	s.eventually("a.md: a", "c.md: c", "d.md: d")
	for _, says := range []string{"more than 15 bytes together", "more than 3 files"} {
		if !strings.Contains(s.log.String(), says) {
			t.Errorf("the log doesn't say %q", says)
		}
	}
	s.must(os.Remove(s.path("a.md")))
	s.eventually("b.md: b", "c.md: c", "d.md: d")
}

func TestManyLeftOutAreCounted(t *testing.T) {
	s := newShelf(t, nil)
	for i := range 50 {
		s.write(strings.Repeat("x", i+1)+".md", "\xff")
	}
	s.open()
	if log := s.log.String(); strings.Count(log, "a document is left out") != 20 || !strings.Contains(log, "more documents are left out\" number=30") {
		t.Error(log)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		is      error
		says    string
	}{
		"no folder":   {Options{Database: "x"}, ErrOptions, "no folder"},
		"no database": {Options{Folder: "x"}, ErrOptions, "no database"},
		"negative":    {Options{Folder: "x", Database: "x", MaxFiles: -1}, ErrOptions, "negative"},
		"time":        {Options{Folder: "x", Database: "x", Poll: -1}, ErrOptions, "negative"},
		"large":       {Options{Folder: "x", Database: "x", MaxFileBytes: 1 << 30}, ErrOptions, "at most"},
		"missing":     {Options{Folder: file + "2", Database: "x"}, ErrFolder, "no such file"},
		"a file":      {Options{Folder: file, Database: "x"}, ErrFolder, "is not a folder"},
		"no place":    {Options{Folder: t.TempDir(), Database: file + "/x"}, syscall.ENOTDIR, ""},
	} {
		if _, err := Open(t.Context(), c.options); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.is, c.says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newShelf(t, map[string]string{"a.md": "x"})
	if _, err := Open(ctx, s.options); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was broken off: %v", err)
	}
	if _, err := os.Stat(s.database); !os.IsNotExist(err) {
		t.Errorf("it has left an index: %v", err)
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "# One", "One"},
		{"a.md", "text\n\n## Two ##\r\n", "Two"},
		{"a.md", "Under\n=====\n", "Under"},
		{"a.md", "```\n# no\n```\n# Yes", "Yes"},
		{"a.md", "#no\n####### no\n", "a"},
		{"a.md", "---\ntitle: 'Front'\n---\n# One", "Front"},
		{"a.md", "---\nlayout: x\n---\n# One", "One"},
		{"a.md", "---\n# comment\ntitle:\n", "a"},
		{"sub/a.b.txt", "# One", "a.b"},
		{"a.MD", "# One", "One"},
		{"a.md", "# " + strings.Repeat("ä", 300), strings.Repeat("ä", 200)},
		{"a.md", "", "a"},
	} {
		if got := titleOf(c.name, c.text); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}
