// Package sqlitestore keeps the line in a file, so that it outlives a restart, a crash and a loss of power.
//
// The line itself is in memory, a queue.Line under a mutex, and answers everything. What must outlive the process of a transition is
// written by one goroutine, the committer: while it waits for the disk, more transitions come, and it takes them all into its next
// transaction (group commit). A verb that changes something answers when the disk has it. Looks (Status, Seen, Peek, Picture, Each) never
// wait for the disk; they may show what is about to be saved. Each transaction is how the line stood at one instant, so the file is
// always a state that was.
//
// # Restart
//
// The file holds no deadlines and no heartbeats. A restored line sleeps until its first instant, which is the controller's start: from then
// everybody who waits has the whole heartbeat time, and who was called the whole window. A run that was going is told to its owner as
// interrupted, with its text, and never run again. The clock of the file counts the time that servers were up: no wall clock is asked for
// anything but dates that Inspect shows.
//
// # A disk that fails
//
// If a transaction fails, its callers get queue.ErrStore, and what they asked for is taken back. What nobody can refuse (a run that has ended, a
// deadline, a ticket that left) stays and is written later. Until then new joins, texts and claims are refused, nobody is called, and no window
// runs, as when the runner is away; who waits keeps its place. The committer tries again by itself, and when it succeeds each reservation
// gets a fresh window.
//
// # The file
//
// line.sqlite, in WAL mode with synchronous=FULL: one fsync a transaction. Its application_id says that it is ours, its user_version which
// format it has; older ones are brought forward when it is opened, newer ones are refused. line.lock is locked by the process that has it open.
// The folder must be on a local file system.
package sqlitestore
