package report

import (
	"bytes"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
)

// Reports of other tools, for a run with errors and for one of several kinds.
func TestFormats(t *testing.T) {
	for name, s := range map[string]*aggregate.Snapshot{"two-hosts": twoHosts(), "mixed": mixed()} {
		for _, format := range Formats() {
			var out bytes.Buffer
			if err := As(&out, format, false, s); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+"."+format, out.String())
		}
	}
	var out bytes.Buffer
	if err := As(&out, "hsbench", true, twoHosts()); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/two-hosts.hsbench.json", out.String())
}

// Rows of hsbench have the number of their loop, if the phases of a run are repeated.
func TestLoops(t *testing.T) {
	var groups []*aggregate.Group
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, phase := range []string{"PUT-1", "GET-1", "PUT-2", "GET-2", "PUT-10", "GET", "LIST-3"} {
		g := &aggregate.Group{Phase: phase, Kind: "GET", First: start.Add(time.Duration(i) * time.Second)}
		if phase[0] == 'P' {
			g.Kind = "PUT"
		}
		groups = append(groups, g)
	}
	for i, want := range []int{0, 0, 1, 1, 2, 2, 0} {
		if got := loopOf(groups[i], groups); got != want {
			t.Errorf("%s belongs to loop %d, want %d", groups[i].Phase, got, want)
		}
	}
}
