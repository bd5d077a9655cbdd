package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// TestRunNames: a run is named by what varies, not by what follows from that.
func TestRunNames(t *testing.T) {
	for lines, want := range map[string][]string{
		"hsbench -z 4K -o 4K.csv\nhsbench -z 64K -o 64K.csv":     {"line 0: -z 4K", "line 0: -z 64K"},
		"warp put --benchdata=put-1\nwarp put --benchdata=put-2": {"line 0: --benchdata=put-1", "line 0: --benchdata=put-2"},
		"warp put --benchdata r-put-1\nwarp put --benchdata r-put-2\nwarp get --benchdata r-get-1": {
			"line 0: put --benchdata r-put-1", "line 0: put --benchdata r-put-2", "line 0: get --benchdata r-get-1",
		},
		"warp get\nwarp get": {"line 0", "line 0"},
		"warp get --concurrent=1\nwarp get --concurrent=2 --stress": {"line 0", "line 0"},
	} {
		var rows []*runRow
		for line := range strings.SplitSeq(lines, "\n") {
			rows = append(rows, &runRow{words: strings.Fields(line)})
		}
		if got := runNames(rows); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}
