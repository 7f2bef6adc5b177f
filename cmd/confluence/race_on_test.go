//go:build race

package main

// raceFlags builds the binary under test with the race detector, as this test is.
var raceFlags = []string{"-race"}
