package aggregate

import (
	"strings"

	"warp/pkg/op"
)

// groupKey is the phase and kind of operations whose figures are one group.
type groupKey struct {
	phase string
	kind  op.Kind
}

// clone returns a key that keeps no foreign buffer alive.
func (k groupKey) clone() groupKey {
	return groupKey{strings.Clone(k.phase), op.Kind(strings.Clone(string(k.kind)))}
}
