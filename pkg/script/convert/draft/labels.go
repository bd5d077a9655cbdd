package draft

import (
	"fmt"
	"strings"
)

// Label returns a name for a phase that no phase has yet: the first of the names, or the last one with a number.
func (d *Draft) Label(names ...string) string {
	label := "run"
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		label = name
		if d.take(label) {
			return label
		}
	}
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s %d", label, n); d.take(next) {
			return next
		}
	}
}

// take reports whether a name was free. Case does not count, and the preparation has a name of its own.
func (d *Draft) take(label string) bool {
	if d.labels == nil {
		d.labels = map[string]bool{"prepare": true}
	}
	key := strings.ToLower(label)
	taken := d.labels[key]
	d.labels[key] = true
	return !taken
}
