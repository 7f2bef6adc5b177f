package main

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFootSaysWhereAndHowLong(t *testing.T) {
	got := foot(83*time.Second + 400*time.Millisecond)
	for _, want := range []string{" cores, ", runtime.Version(), "measured in 1m23s"} {
		if !strings.Contains(got, want) {
			t.Errorf("the foot %q lacks %q", got, want)
		}
	}
}
