package report

import (
	"bytes"
	"testing"

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
