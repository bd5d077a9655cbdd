package index

import (
	"fmt"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// generated is a trace of a number of operations, each on another one of some objects.
type generated struct {
	operations, objects int
	at                  int
	rest                []byte
}

func (g *generated) Read(b []byte) (int, error) {
	for len(g.rest) == 0 {
		if g.at == g.operations {
			return 0, io.EOF
		}
		kind := "GET"
		if g.at%3 == 0 {
			kind = "PUT"
		}
		object := uint64(g.at*7919%g.objects) * 0x9e3779b97f4a7c15
		g.rest = fmt.Appendf(g.rest[:0], "%d REST.%s.OBJECT %016x %d\n", g.at/4, kind, object, 1000+object%1000)
		g.at++
	}
	n := copy(b, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// counting measures the memory of the process while a trace is written.
type counting struct{ most uint64 }

func (c *counting) Write(b []byte) (int, error) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	c.most = max(c.most, s[0].Value.Uint64()-s[1].Value.Uint64())
	return len(b), nil
}

// Memory depends neither on the number of operations nor on that of objects, with names or without.
func TestMemory(t *testing.T) {
	for _, names := range []trace.Names{trace.NoNames, trace.HashedNames} {
		t.Run(string(names), func(t *testing.T) { testMemory(t, names) })
	}
}

func testMemory(t *testing.T, names trace.Names) {
	t.Setenv("TMPDIR", t.TempDir())
	operations := 600_000 // more than are sorted in memory
	if testkit.Soaking() {
		operations = 20_000_000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(15)) // as the command does
	debug.FreeOSMemory()                             // what earlier tests used
	r, err := formats.NewReader(formats.Options{}, recording.Input{Name: "generated", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&generated{operations: operations, objects: operations / 2}), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{}
	s, err := Build(t.Context(), r, trace.Selection{Names: names}, c)
	if err != nil {
		t.Fatal(err)
	}
	if s.Operations != int64(operations) || s.Objects.Count != int64(operations/2) || s.TemporaryFiles == 0 {
		t.Errorf("%d operations on %d objects, %d files", s.Operations, s.Objects.Count, s.TemporaryFiles)
	}
	if c.most > 150<<20 {
		t.Errorf("%d MiB of memory (want at most 150)", c.most>>20)
	}
	t.Logf("%d operations: %d MiB of memory, %d files of %d MiB", operations, c.most>>20, s.TemporaryFiles, s.TemporaryBytes>>20)
}
