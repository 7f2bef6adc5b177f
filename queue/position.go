package queue

import "math/bits"

// order holds the queued tickets in their order. Each ticket stands in a place of its own, places only grow, and who leaves makes a
// tombstone. A bit a place tells the living from the tombs, and a Fenwick tree (Fenwick 1994, "A new data structure for cumulative
// frequency tables") counts the living by blocks of 64 places, so that a position is a walk of log2(n/64) sums and one count of bits.
// When the places run out they are numbered anew without the tombs; that costs as much as the joins since the last time, so O(1) a join.
type order struct {
	items []*ticket // by place; nil: tomb
	live  []uint64  // a bit a place
	sums  []int32   // Fenwick tree over the blocks of live; sums[i] belongs to block i-1
	next  int       // the place of the next ticket
	first int       // no ticket stands before this place
	n     int       // tickets
}

// push puts t at the end.
func (o *order) push(t *ticket) {
	if o.next == len(o.items) {
		o.renumber()
	}
	t.place = o.next
	o.next++
	o.items[t.place] = t
	o.live[t.place/64] |= 1 << (t.place % 64)
	o.add(t.place/64, 1)
	if o.n == 0 {
		o.first = t.place
	}
	o.n++
}

// remove takes t out, which must stand here.
func (o *order) remove(t *ticket) {
	o.items[t.place] = nil
	o.live[t.place/64] &^= 1 << (t.place % 64)
	o.add(t.place/64, -1)
	o.n--
	if t.place == o.first && o.n > 0 {
		o.first = o.following(t.place)
	}
}

// rank is how many stand before t, and one.
func (o *order) rank(t *ticket) int {
	block := t.place / 64
	before := bits.OnesCount64(o.live[block] & (1<<(t.place%64) - 1))
	for i := block; i > 0; i &= i - 1 {
		before += int(o.sums[i])
	}
	return before + 1
}

// head is the first ticket, or nil.
func (o *order) head() *ticket {
	if o.n == 0 {
		return nil
	}
	return o.items[o.first]
}

// at is the ticket of that rank, from 1 to n.
func (o *order) at(rank int) *ticket {
	block, left := 0, int32(rank)
	for step := 1 << (bits.Len(uint(len(o.live))) - 1); step > 0; step >>= 1 {
		if i := block + step; i <= len(o.live) && o.sums[i] < left {
			block, left = i, left-o.sums[i]
		}
	}
	word := o.live[block]
	for ; left > 1; left-- {
		word &= word - 1
	}
	return o.items[block*64+bits.TrailingZeros64(word)]
}

// each calls fn for the tickets of rank from to rank to, in order.
func (o *order) each(from, to int, fn func(rank int, t *ticket)) {
	from, to = max(from, 1), min(to, o.n)
	if from > to {
		return
	}
	for t := o.at(from); ; t = o.items[o.following(t.place)] {
		fn(from, t)
		if from++; from > to {
			return
		}
	}
}

// following is the place of the next ticket behind a place; there must be one.
func (o *order) following(place int) int {
	block := place / 64
	if rest := o.live[block] &^ (1<<(place%64+1) - 1); rest != 0 {
		return block*64 + bits.TrailingZeros64(rest)
	}
	for block++; o.live[block] == 0; block++ {
	}
	return block*64 + bits.TrailingZeros64(o.live[block])
}

func (o *order) add(block int, d int32) {
	for i := block + 1; i < len(o.sums); i += i & -i {
		o.sums[i] += d
	}
}

// renumber makes room for as many again as there are, without the tombs.
func (o *order) renumber() {
	size := 64
	for size < 2*o.n {
		size *= 2
	}
	old := o.items[:o.next]
	*o = order{items: make([]*ticket, size), live: make([]uint64, size/64), sums: make([]int32, size/64+1)}
	for _, t := range old {
		if t != nil {
			o.push(t)
		}
	}
}
