package aggregate

import (
	"strings"

	"warp/pkg/op"
)

type groupKey struct {
	phase string
	kind  op.Kind
}

// clone returns a key that keeps no foreign buffer alive.
func (k groupKey) clone() groupKey {
	return groupKey{strings.Clone(k.phase), op.Kind(strings.Clone(string(k.kind)))}
}
