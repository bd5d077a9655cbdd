package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/legacy"
	"warp/pkg/recording"
)

// recordings is where recordings of MinIO warp lie, next to the checkout.
const recordings = "../../../shared/recordings"

// Reports of recordings that MinIO warp made. That their figures are right is tested in aggregate, against the
// definition; here, how they are shown.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.zst"))
	if err != nil || len(files) == 0 {
		t.Skip("no recordings next to the checkout")
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".zst")
		t.Run(name, func(t *testing.T) {
			s, warnings := recorded(t, path)
			var text, doc, segments bytes.Buffer
			if err := Text(&text, s, TextOptions{Location: time.UTC, Verbose: true, Warnings: warnings}); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+".txt", text.String())
			if err := JSON(&doc, Document{WarpVersion: "test", Command: "analyze", Warnings: warnings, Snapshot: s}); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+".json", doc.String())
			if err := Series(&segments, s, TSV, true); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+".tsv", segments.String())
		})
	}
}

// recorded is the figures of a recording, of operations or aggregated.
func recorded(t *testing.T, path string) (*aggregate.Snapshot, []string) {
	t.Helper()
	if strings.HasSuffix(path, ".json.zst") {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a, err := legacy.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		return a.Snapshot, a.Warnings
	}
	in := recording.Input{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	s, about, err := aggregate.AnalyzeAll(aggregate.Options{HostSegments: true, SegmentTimes: true}, in)
	if err != nil {
		t.Fatal(err)
	}
	plain, _, err := aggregate.AnalyzeAll(aggregate.Options{}, in)
	if err != nil {
		t.Fatal(err)
	}
	sameReport(t, plain, s)
	return s, about.Warnings
}

// sameReport compares reports of figures that were found in one pass, and in two.
func sameReport(t *testing.T, one, two *aggregate.Snapshot) {
	t.Helper()
	var a, b bytes.Buffer
	for out, s := range map[*bytes.Buffer]*aggregate.Snapshot{&a: one, &b: two} {
		if err := JSON(out, Document{Snapshot: s}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("one pass gives\n%s\ntwo passes give\n%s", a.Bytes(), b.Bytes())
	}
}
