package queue

// Going is how many runs the controller knows of.
func (c *AdmissionController) Going() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.going)
}
