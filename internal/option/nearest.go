package option

import "strings"

// Nearest returns the name that was probably meant; empty if all are too far off.
func Nearest(name string, known []string) (near string) {
	name = strings.ToLower(name)
	least := 1 + max(1, len(name)/3)
	for _, k := range known {
		if d := distance(name, strings.ToLower(k)); d < least && d < len(name) {
			near, least = k, d
		}
	}
	if near != "" || len(name) < 3 {
		return near
	}
	for _, k := range known {
		if len(k) > 2 && (strings.HasPrefix(k, name) || strings.HasPrefix(name, k)) {
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
