package decode

import (
	"strings"

	"warp/pkg/op"
)

// Key is the phase and kind of operations whose figures are one group.
type Key struct {
	Phase string
	Kind  op.Kind
}

// Clone returns a key that keeps no foreign buffer alive.
func (k Key) Clone() Key {
	return Key{strings.Clone(k.Phase), op.Kind(strings.Clone(string(k.Kind)))}
}
