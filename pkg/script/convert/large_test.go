package convert

import (
	"fmt"
	"strings"
	"testing"

	"warp/pkg/script/convert/draft"
)

// TestLargeFiles: files with more of something than anyone writes are refused before they cost minutes or memory.
func TestLargeFiles(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tc := range []struct{ from, text, want string }{
		{"fio", "[global]\n" + many(20_000, "k%d=1\n"), "too many options (want at most 10000)"},
		{"fio", "[global]\n" + fioJob + many(20_000, "[j%d]\n"), "too many jobs (want at most 1000)"},
		{"fio", "[j]\n" + fioJob + "filename=" + many(20_000, "/b/%d:") + "\n", "too many files (want at most 100)"},
		{"elbencho", elbenchoRun + many(20_000, "k%d=1\n"), "options (want at most 1000)"},
		{"elbencho", elbenchoRun + "hosts=" + many(20_000, "[1-%d]") + "\n", ""},
		{"elbencho", elbenchoRun + "hosts=" + many(20_000, "[1-9999],%d,") + "\n", ""},
		{"sai3-bench", "target: s3://lab/\nworkload:\n" + many(2_000, "  - {op: get, path: a%d/}\n"), "entries (want at most 300)"},
		{"sai3-bench", sai3Run + "}\n" + many(2_000, "k%d: 1\n"), "keys (want at most 300)"},
	} {
		s, err := Lookup(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Convert("f", tc.text, draft.Given{}); tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %.300v; want %s", tc.from, err, tc.want)
		}
	}
}
