//go:build noembed

package embedded

import "context"

// Built reports whether the binary has the server in it; one made with -tags noembed has not.
const Built = false

type layout struct{}

func makeLayout(string, bool) (layout, error) { return layout{}, ErrNotBuilt }

func (layout) listenAndServe(context.Context, order, func(string) error) error { return ErrNotBuilt }
