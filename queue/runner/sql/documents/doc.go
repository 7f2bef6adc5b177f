// Package documents keeps a full-text index of a folder: a SQLite file that the SQL runner serves like any other.
//
//	documents(path, title, text)                     FTS5; path isn't searched, a word in the title counts four times
//	files(document_id, path, bytes, modified, sha256) document_id is the rowid in documents; modified is in UTC
//
// Indexed are regular files whose names end in .md, .markdown, .mdown, .mkd, .txt, .text, .rst, .adoc, .asciidoc or .org, in the folder and those
// below it. Left out are hidden files and folders (.git), and, with a line in the log each time one appears: what is not UTF-8 or holds NUL bytes,
// files larger than MaxFileBytes, and those beyond MaxFiles or MaxBytes in the order of their paths. A link counts as the file to which it
// leads, if that lies in the folder; a link that leaves the folder, or leads to a folder, is not followed. (Files are opened through os.Root,
// so that this holds even while somebody exchanges folders for links.)
//
// # Following
//
// Changes are noticed by watching each folder, and by looking at all files every Poll, since not every file system tells. Either way the whole
// folder is looked at, and what has another size or time, or was named by an event, is read again; so a rename, a new folder or an editor
// that writes another file and renames it are nothing special. A burst of changes is taken together: when it has been quiet for Quiet, but no later
// than Latest after its first change. At most a fifth of the time goes into it.
//
// The file is never changed in place. A changed copy takes its place by a rename, so that a query that runs goes on with the state that it opened.
// At a start the file of the last time is taken, and brought up to date.
package documents
