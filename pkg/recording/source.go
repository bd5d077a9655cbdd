package recording

import (
	"errors"
	"fmt"
	"io"
)

// Input is a recording that can be read several times, each time from its start.
type Input struct {
	Name string                        // for messages
	Open func() (io.ReadCloser, error) // its errors say which file, as those of os.Open do
}

// Reader begins to read the recording. Closing the Reader closes the source too.
func (in Input) Reader() (*Reader, error) {
	src, err := in.Open()
	if err != nil {
		return nil, fmt.Errorf("no recording: %w", err)
	}
	r, err := NewReader(src, in.Name)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	r.closer = src
	return r, nil
}

// Clients keeps the clients of several recordings apart, where they may have the same ids: those of the first keep
// theirs; one that an earlier recording has as well becomes "id (2)" in the second recording, and so on. The zero value
// is ready for use.
type Clients struct {
	parts []map[string]string // by recording, from id to name
	taken map[string]bool     // names
}

// Name is the name of a client in recording number part, from 0. As long as an id is new, recordings must be asked about
// in their order; later in any.
func (c *Clients) Name(part int, id string) string {
	for part >= len(c.parts) {
		c.parts = append(c.parts, make(map[string]string))
	}
	if name, ok := c.parts[part][id]; ok {
		return name
	}
	if c.taken == nil {
		c.taken = make(map[string]bool)
	}
	name := id
	for n := part + 1; c.taken[name]; n++ {
		name = fmt.Sprintf("%s (%d)", id, n)
	}
	c.taken[name] = true
	c.parts[part][id] = name
	return name
}
