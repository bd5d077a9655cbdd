package script

import (
	"fmt"
	"strings"

	"warp/internal/option"
)

// unknown returns the complaint about a name that is not one of those that are possible.
func unknown(what, name string, known []string) string {
	text := fmt.Sprintf("unknown %s %q", what, name)
	if near := nearest(name, known); near != "" {
		return text + fmt.Sprintf(" (did you mean %s?)", near)
	}
	return text + " (want " + option.List(known...) + ")"
}

// nearest returns the name that was probably meant; empty if all are too far off.
func nearest(name string, known []string) (near string) {
	name = strings.ToLower(name)
	least := 1 + max(1, len(name)/3)
	for _, k := range known {
		if d := distance(name, strings.ToLower(k)); d < least {
			near, least = k, d
		}
	}
	if near != "" || len(name) < 3 {
		return near
	}
	for _, k := range known {
		if strings.HasPrefix(k, name) || strings.HasPrefix(name, k) {
			return k
		}
	}
	return ""
}

// distance returns how many characters must be added, removed, replaced or swapped to make one text of the other.
func distance(a, b string) int {
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j+1]+1, next[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
