package queue

import "math/bits"

// order holds the queued tickets in their order. Each stands in a place of its own; places only grow, and who leaves makes a gap. The
// places are the keys of a trie with 64 children a node. Each node counts what stands beneath its children in a Fenwick tree (Fenwick 1994,
// "A new data structure for cumulative frequency tables"), and a bit a place tells the living from the gaps, so that a position is at most
// six sums on each of log64(places) levels and one count of bits. Nothing is ever numbered anew, so that no join pays for the others, and
// what is empty is freed.
type order struct {
	root   *branch // nil: nobody has come yet
	levels int     // of branches
	next   int     // the place of the next ticket
	n      int     // tickets
}

const (
	fanBits = 6
	fan     = 1 << fanBits // children of a node, places of a leaf
)

// branch is a node of the trie. On level 1 its children are leaves, above that they are branches.
type branch struct {
	sums     [fan + 1]int32 // Fenwick tree of what stands beneath each child; the last is all
	branches [fan]*branch
	live     [fan]uint64 // a bit a place of each leaf; here, so that a position needn't visit the leaf
	leaves   [fan]*leaf
}

type leaf [fan]*ticket

// child is the index, in a node of that level, on the way to a place. On level 0 it is the place in the leaf.
func child(place, level int) int { return place >> (fanBits * level) & (fan - 1) }

func (b *branch) add(i int, d int32) {
	for i++; i <= fan; i += i & -i {
		b.sums[i] += d
	}
}

// before is how many stand beneath the children before that one.
func (b *branch) before(i int) int {
	n := int32(0)
	for ; i > 0; i &= i - 1 {
		n += b.sums[i]
	}
	return int(n)
}

// find is the child beneath which the ticket of that rank stands, and its rank there.
func (b *branch) find(rank int) (i, rest int) {
	left := int32(rank)
	for step := fan / 2; step > 0; step /= 2 {
		if b.sums[i+step] < left {
			i += step
			left -= b.sums[i]
		}
	}
	return i, int(left)
}

// push puts t at the end.
func (o *order) push(t *ticket) {
	switch {
	case o.root == nil:
		o.root, o.levels = &branch{}, 1
	case o.next>>(fanBits*(o.levels+1)) > 0: // all places are used: a level more
		above := &branch{}
		above.add(0, int32(o.n))
		above.branches[0] = o.root
		o.root = above
		o.levels++
	}
	t.place = o.next
	o.next++
	o.n++
	b := o.root
	for level := o.levels; level > 1; level-- {
		i := child(t.place, level)
		b.add(i, 1)
		if b.branches[i] == nil {
			b.branches[i] = &branch{}
		}
		b = b.branches[i]
	}
	i, at := child(t.place, 1), child(t.place, 0)
	b.add(i, 1)
	b.live[i] |= 1 << at
	if b.leaves[i] == nil {
		b.leaves[i] = &leaf{}
	}
	b.leaves[i][at] = t
}

// remove takes t out, which must stand here.
func (o *order) remove(t *ticket) {
	o.n--
	// A node that the next ticket comes to stays, even when it is empty. It will be left behind with tickets in it, the last of which frees it.
	awaited := func(level int) bool { return t.place>>(fanBits*level) == o.next>>(fanBits*level) }
	b := o.root
	for level := o.levels; level > 1; level-- {
		i := child(t.place, level)
		b.add(i, -1)
		if b.branches[i].sums[fan] == 1 && !awaited(level) {
			b.branches[i] = nil
			return
		}
		b = b.branches[i]
	}
	i, at := child(t.place, 1), child(t.place, 0)
	b.add(i, -1)
	b.live[i] &^= 1 << at
	b.leaves[i][at] = nil
	if b.live[i] == 0 && !awaited(1) {
		b.leaves[i] = nil
	}
}

// rank is how many stand before t, and one.
func (o *order) rank(t *ticket) int {
	before := 0
	b := o.root
	for level := o.levels; level > 1; level-- {
		i := child(t.place, level)
		before += b.before(i)
		b = b.branches[i]
	}
	i := child(t.place, 1)
	return before + b.before(i) + bits.OnesCount64(b.live[i]&(1<<child(t.place, 0)-1)) + 1
}

// at is where the ticket of that rank, from 1 to n, stands: the leaf, and a bit each for it and those behind it there.
func (o *order) at(rank int) (l *leaf, live uint64) {
	b := o.root
	for level := o.levels; level > 1; level-- {
		i, rest := b.find(rank)
		b, rank = b.branches[i], rest
	}
	i, rest := b.find(rank)
	live = b.live[i]
	for ; rest > 1; rest-- {
		live &= live - 1
	}
	return b.leaves[i], live
}

// head is the first ticket, or nil.
func (o *order) head() *ticket {
	if o.n == 0 {
		return nil
	}
	l, live := o.at(1)
	return l[bits.TrailingZeros64(live)]
}

// each calls fn for the tickets of rank from to rank to, in order.
func (o *order) each(from, to int, fn func(rank int, t *ticket)) {
	to = min(to, o.n)
	for rank := max(from, 1); rank <= to; {
		l, live := o.at(rank)
		for ; live != 0 && rank <= to; live &= live - 1 {
			fn(rank, l[bits.TrailingZeros64(live)])
			rank++
		}
	}
}
