// Package wait predicts how long somebody in a line will wait: a middle, and a range that holds four times of five. It is told what happens in the
// line, scores itself, and moves its ranges by its own past errors, so that runs which are alike for a while don't fool it.
//
// # How
//
// A slot is held from the call to the end of the run: the claim delay and the run, or a reservation that lapses. How long each busy slot is
// still held is the mean excess of the last holds over the time that this one has taken (Embrechts, Klüppelberg and Mikosch 1997, "Modelling
// extremal events", 6.2.2); how long those that follow are held is a mixture of running means, each weighted by how well it predicted
// at that distance. The line's own leaves thin it. Both together give the time until so many slots have come free (see until).
//
// Nothing is assumed about the errors of that. Markers stand in the line, at each distance that it reaches; when a marker's place is called,
// the logarithm of the actual wait over the predicted one is an outcome of its distance. The range is the interval of the last outcomes at the level of
// conformal prediction (Vovk, Gammerman and Shafer 2005, "Algorithmic learning in a random world"), over a window that moves on, as errors drift
// (Gibbs and Candès 2021, "Adaptive conformal inference under distribution shift").
//
// # What it promises
//
// Memory is bounded, an event costs a few microseconds, a prediction is a look-up and a sum over the slots; none depends on the length of the
// line. Between events a prediction moves smoothly with time, and never steps. The range is a guess for the first twenty runs, and too narrow
// far back where runs change within the time of the wait. While nobody is called predictions are as though that ended now, and nothing is learnt.
package wait
