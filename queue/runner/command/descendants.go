package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// descendants are the processes below this one. A process that is between two parents may be missed.
func descendants() []int {
	pids := childrenOf("self")
	for i := 0; i < len(pids); i++ {
		pids = append(pids, childrenOf(strconv.Itoa(pids[i]))...)
	}
	return pids
}

func childrenOf(process string) (pids []int) {
	lists, _ := filepath.Glob("/proc/" + process + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list) // it may have ended
		for _, field := range bytes.Fields(text) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// takeMoreThan says whether the processes together have allocated more than limit bytes.
func takeMoreThan(limit int64, pids []int) bool {
	// The quick figures count a page that several share, as after a fork, for each of them; the exact ones take long to make.
	return sum(pids, "status", "RssAnon:", "VmSwap:") > limit && sum(pids, "smaps_rollup", "Pss_Anon:", "SwapPss:") > limit
}

// sum adds up what a file of each process says in lines that begin with one of the words, in bytes.
func sum(pids []int, file string, words ...string) (bytes int64) {
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + file)
		if err != nil {
			continue // it ended meanwhile
		}
		for _, word := range words {
			bytes += kilobytes(text, word) << 10
		}
	}
	return bytes
}

// kilobytes reads the line "word 12 kB" of a text.
func kilobytes(text []byte, word string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+word))
	if fields := bytes.Fields(rest); len(fields) > 0 {
		n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
		return n
	}
	return 0
}
