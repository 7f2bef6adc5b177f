// Package simulation plays a line on a virtual clock: the same queue.Line that serves, with its estimates, fed by arrivals that come from a
// file or from a generated Workload. An operator learns from it what a second slot, another window or a shorter line would change; the tests
// learn from it how good the estimates are.
//
// # What is simulated
//
// Who arrives and finds a slot free runs at once. Who doesn't waits, and is always heard of while there. Who loses patience leaves at once or, if
// there is a heartbeat, falls silent and is dropped that much later; who is called meanwhile lapses. Who is called claims after the claim delay, or
// never, and lapses. Nobody comes a second time.
//
// # How estimates are judged
//
// A prediction is about a place: how long somebody waits there who stays. So who leaves is judged as well: had they stayed, they would have been
// called when the next behind them is. What is compared is what is shown, whole seconds, with the wait in whole seconds.
//
// Memory is bounded by those who wait at once; what is collected over time is of a fixed size.
package simulation
