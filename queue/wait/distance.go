package wait

import "math/bits"

// distances are 0, 1, 2 to 3, 4 to 7, … people ahead; the last is 256 and more.
const distances = 10

func distanceOf(ahead int) int { return min(bits.Len(uint(ahead)), distances-1) }

// nearest is the least number of people ahead at a distance, and also how many numbers are of it, but for the first.
func nearest(distance int) int {
	if distance == 0 {
		return 0
	}
	return 1 << (distance - 1)
}
