package queue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOrderAgainstASlice plays random operations on the order index and on a plain slice, and compares all that the index answers.
func TestOrderAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o order
		var plain []*ticket
		// Places near the end of a level, so that levels are added within a few pushes.
		o.next = rapid.SampledFrom([]int{0, 60, fan*fan - 5, fan*fan*fan - 5}).Draw(t, "first place")
		if o.next > 0 {
			o.root, o.levels = &branch{}, 1
			for o.next>>(fanBits*(o.levels+1)) > 0 {
				o.levels++
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			switch op := rapid.SampledFrom([]string{"push", "push many", "remove", "remove many", "shift"}).Draw(t, "op"); op {
			case "push", "push many":
				many := 1
				if op == "push many" {
					many = rapid.IntRange(1, 200).Draw(t, "tickets")
				}
				for range many {
					x := &ticket{}
					o.push(x)
					plain = append(plain, x)
				}
			case "remove", "remove many":
				if len(plain) == 0 {
					continue
				}
				from := rapid.IntRange(0, len(plain)-1).Draw(t, "from")
				to := from + 1
				if op == "remove many" {
					to = rapid.IntRange(from+1, len(plain)).Draw(t, "to")
				}
				for _, x := range plain[from:to] {
					o.remove(x)
				}
				plain = slices.Delete(plain, from, to)
			case "shift":
				for range min(len(plain), rapid.IntRange(1, 100).Draw(t, "heads")) {
					head := o.head()
					if head != plain[0] {
						t.Fatal("another head")
					}
					o.remove(head)
					plain = plain[1:]
				}
			}
			checkOrder(t, &o, plain)
		}
	})
}

func checkOrder(t *rapid.T, o *order, plain []*ticket) {
	if o.n != len(plain) {
		t.Fatalf("%d tickets, want %d", o.n, len(plain))
	}
	if len(plain) == 0 {
		if o.head() != nil {
			t.Fatal("an empty order has a head")
		}
	} else if o.head() != plain[0] {
		t.Fatal("another head")
	}
	for i, x := range plain {
		if rank := o.rank(x); rank != i+1 {
			t.Fatalf("rank %d, want %d", rank, i+1)
		}
	}
	from := rapid.IntRange(-2, len(plain)+2).Draw(t, "each from")
	to := rapid.IntRange(-2, len(plain)+2).Draw(t, "each to")
	var ranks []int
	o.each(from, to, func(rank int, x *ticket) {
		if plain[rank-1] != x {
			t.Fatalf("another ticket at rank %d", rank)
		}
		ranks = append(ranks, rank)
	})
	var want []int
	for rank := max(from, 1); rank <= min(to, len(plain)); rank++ {
		want = append(want, rank)
	}
	if !slices.Equal(ranks, want) {
		t.Fatalf("each from %d to %d of %d: %v", from, to, len(plain), ranks)
	}
}

// TestOrderFreesWhatIsEmpty: a line through which many have gone holds no more than one that they never came to, even when one of the first
// still waits. case: ghost-leave
func TestOrderFreesWhatIsEmpty(t *testing.T) {
	var o order
	stays := &ticket{}
	o.push(stays)
	random := rand.New(rand.NewPCG(1, 1))
	var here []*ticket
	for range 100_000 {
		x := &ticket{}
		o.push(x)
		here = append(here, x)
		if len(here) > 100 {
			i := random.IntN(len(here))
			o.remove(here[i])
			here = slices.Delete(here, i, i+1)
		}
	}
	for _, x := range here {
		o.remove(x)
	}
	if o.n != 1 || o.rank(stays) != 1 || o.head() != stays {
		t.Errorf("%d tickets, rank %d", o.n, o.rank(stays))
	}
	// The way to the one that stays and the way to the next: a branch on each level and a leaf each.
	branches, leaves := nodes(o.root)
	if most := 2 * o.levels; branches > most || leaves > 2 {
		t.Errorf("%d branches and %d leaves are left", branches, leaves)
	}
}

func nodes(b *branch) (branches, leaves int) {
	branches = 1
	for i := range fan {
		if b.branches[i] != nil {
			n, l := nodes(b.branches[i])
			branches, leaves = branches+n, leaves+l
		}
		if b.leaves[i] != nil {
			leaves++
		}
	}
	return branches, leaves
}
