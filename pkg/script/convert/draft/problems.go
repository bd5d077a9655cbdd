package draft

import (
	"fmt"
	"slices"

	"warp/pkg/script"
)

// Problems are the mistakes in a file, in order.
type Problems struct {
	List   []script.Complaint
	source *script.Source
}

// Addf adds one. With column 0 only the line is known.
func (e *Problems) Addf(at script.Pos, format string, args ...any) {
	c := script.Complaint{Pos: at, Text: fmt.Errorf(format, args...).Error()}
	if !slices.Contains(e.List, c) {
		e.List = append(e.List, c)
	}
}

// Name says which option has its value at a place. Errors in what is made of it name the option.
func (e *Problems) Name(at script.Pos, option string) {
	if e.source != nil && !at.IsZero() {
		e.source.Name(at, option)
	}
}
