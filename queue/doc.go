// Package queue is the waiting room: who may use a scarce runner, and when.
//
// # The rules in short
//
// A session has at most one ticket. A ticket is queued in the line, then ready (called: it holds a reservation), then running; then it is
// gone, and why is remembered for ten minutes.
//
//	          join, a slot is free to newcomers
//	   ┌───────────────────────────────────────────┐
//	   │                                           ▼
//	newcomer ── join ──▶ queued ── promotion ──▶ ready ── claim ──▶ running ── finish ──▶ finished
//	                       │                       │                   │
//	                       ├ leave ─▶ left         ├ leave ─▶ left     └ leave ─▶ left; the run is cancelled
//	                       └ silence ─▶            └ deadline ─▶         and keeps its slot until it has ended
//	                         heartbeat_lost          reservation_expired
//
// Behind Config.Slots slots stands the line, first come, first served. A slot is idle, reserved or running. A slot is free to a newcomer when
// one is idle, the line is empty, admission isn't paused and the runner is available. Whenever a slot is idle and somebody waits, the stale
// are dropped and the head gets a reservation.
//
// # Who does what
//
// Line is the state and its transitions, pure: instants go in, views and changes come out. A Store makes each transition atomic and owns the
// clock; package memory holds a Line under a mutex, package sqlitestore writes beside it what must outlive the process. AdmissionController puts timers, runs and watchers around a Store: what a server calls.
// Data flows one way: a verb changes the Store, the Store tells its changes, the controller's loop pushes them to the Watchers.
//
// # Promises
//
//   - Two runs never share a slot: Run frees it when fn has returned or panicked, and never before.
//   - A position never rises. Nobody absent holds the line up for longer than the heartbeat.
//   - A deadline is judged by the store's monotonic clock at its own instant, whoever calls and whenever: a claim at or after the deadline of
//     its reservation is refused, with or without other traffic.
//   - Each transition names the run that it ends by its term; one that comes too late changes nothing.
//   - What a call costs doesn't depend on how many wait, but for a logarithm.
//
// Package sqlitestore adds, each with its tests in the README beside this file:
//
//   - A join, a text, a claim, an end that was answered is in the file, whatever happens to the process or the power.
//   - After a restart everybody has the same place, number and text; the whole heartbeat time and window from the moment the server is up.
//   - A run that was going ends as interrupted, is told so to its owner, and is never run again.
//   - Numbers and terms that were answered are never given again, and the revision never falls.
//   - A disk that fails refuses who comes, takes no place from who waits, and is noticed when it works again.
//   - The wall clock decides nothing, and a suspend takes nobody's time.
//   - A drain, however long, calls nobody and costs nobody a place; the next process goes on with everybody.
//   - A backup is the line at one instant, taken while it is served, and a line starts from it.
//
// What packages web and cmd make of that (runs, results and keys that outlive a restart, a deploy) is in the README, too, and what they don't.
//
// Not promised: anything over a restart by the memory store. By sqlitestore: that a heartbeat was heard before the restart; that a look didn't show what a
// crash in the same millisecond then took back; that who was refused because a sync failed leaves no ticket if a crash comes before
// the disk works again (nobody claims it, so the heartbeat ends it); a folder on a network file system.
package queue
