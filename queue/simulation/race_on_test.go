//go:build race

package simulation

// everyCase: each so-manieth case is judged; the race detector makes it slow.
const everyCase = 17
