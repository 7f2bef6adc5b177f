//go:build race

package main

// raceFlags build a binary with the race detector, as this test has it.
var raceFlags = []string{"-race"}
