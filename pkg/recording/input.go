package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"warp/internal/unpack"
)

// ErrAggregated is the error of NewReader for an aggregated recording (.json.zst), which begins with "{".
var ErrAggregated = errors.New("an aggregated recording (.json.zst) holds statistics, not operations: use the .csv.zst of the run")

// textOf returns the text of a recording, decompressed if necessary.
func textOf(src io.Reader) (*unpack.Text, error) {
	t, err := unpack.New(src, MaxWindow)
	if err != nil {
		return nil, err
	}
	if len(t.Head()) == 0 && t.Compression == unpack.None && t.Failure() == nil {
		return nil, errors.New("the file is empty")
	}
	return t, nil
}

// ownReport is how reports in JSON begin. Aggregated recordings have other fields first.
var ownReport = regexp.MustCompile(`^\{\s*"version":\s*\d+,\s*"warp_version"`)

// knownFormat returns why a file that begins like this is no recording, if its first bytes tell.
func knownFormat(head []byte) error {
	const use = "use the recording (.csv.zst) of the run"
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	what := unpack.Name(head)
	switch {
	case what == unpack.HTML, what == unpack.Parquet:
		return fmt.Errorf("%s, not a recording: %s", what, use)
	case what != "":
		return errors.New(what)
	case ownReport.Match(head):
		return errors.New("a report in JSON, which has no operations: " + use)
	case bytes.HasPrefix(head, []byte("{")):
		return ErrAggregated
	case bytes.HasPrefix(head, []byte("index\top\thost\t")), bytes.HasPrefix(head, []byte("index,op,host,")):
		return errors.New("a time series (--analyze.out), which has no operations: " + use)
	case bytes.HasPrefix(head, []byte("--------")):
		return errors.New("a printed report, which has no operations: " + use)
	}
	return nil
}

// MaxWindow bounds the memory that a zstd frame may demand. The frames of MinIO warp need 8 MiB.
const MaxWindow = 128 << 20

// Input is a recording that can be read several times, from its start.
type Input struct {
	Name string                        // for messages
	Open func() (io.ReadCloser, error) // its errors name the file, like errors of os.Open
}

// Reader opens the recording. Closing the Reader closes the source too.
func (in Input) Reader() (*Reader, error) {
	src, err := in.Open()
	if err != nil {
		return nil, err
	}
	r, err := NewReader(src, in.Name)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	r.closer = src
	return r, nil
}

// Clients makes client names unique over several recordings that may use the same ids: the clients of the first recording
// stay; an id that an earlier recording has too becomes "id (2)" in the second recording, and so on. The zero value is
// ready for use.
type Clients struct {
	parts []map[string]string // name by id, for each recording
	taken map[string]bool     // names
}

// Name returns the name of a client in recording number part, from 0. New ids must be asked for in the order of
// recordings; known ones in any order.
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

// Names returns the names of the clients in recording number part, as far as Name was asked for them, in order.
func (c *Clients) Names(part int) []string {
	if part >= len(c.parts) {
		return nil
	}
	return slices.Sorted(maps.Values(c.parts[part]))
}
