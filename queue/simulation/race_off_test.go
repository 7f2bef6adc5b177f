//go:build !race

package simulation

// everyCase: each so-manieth case is judged.
const everyCase = 7
