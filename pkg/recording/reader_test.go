package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"warp/pkg/op"
)

const tabHeader = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n"

// tabRow is a row below tabHeader.
func tabRow(thread, key, err, start, end string) string {
	return "0\t" + thread + "\tGET\tc1\t1\t10\thttp://h:1\t" + key + "\t" + err + "\t" + start + "\t\t\t" + end + "\t5\t0\n"
}

// goodRow is a row that can be read.
func goodRow(thread int) string {
	return tabRow(fmt.Sprint(thread), "key", "", "2026-11-21T03:56:21Z", "2026-11-21T03:56:22Z")
}

func TestReaderTellsWhyAFileIsNoRecording(t *testing.T) {
	tests := []struct {
		name, want string
		data       []byte
		is         error
	}{
		{"empty", "empty", nil, nil},
		{"aggregated", "aggregated", compress(t, "{\n  \"v\": 2\n}"), ErrAggregated},
		{"aggregated, not compressed", "aggregated", []byte("{}"), ErrAggregated},
		{"aggregated, with a version", "aggregated", []byte(`{"v": 2, "commandline": "warp get", "warp_version": "1.3.0"}`), ErrAggregated},
		{"text", "line 2", []byte("# hello\nhello, world\n"), nil},
		{"column missing", `missing column "error"`, []byte("thread\top\tbytes\tstart\tend\n"), nil},
		{"column twice", `duplicate column "op"`, []byte("thread\top\tbytes\top\terror\tstart\tend\n"), nil},
		{"comments only", "no header line", compress(t, "# a\n\n# b\n"), nil},
		{"cut in the first frame", "truncated or damaged", compress(t, tabHeader)[:9], nil},
		{"long line", "longer than", bytes.Repeat([]byte("x"), 2*MaxRow), nil},
		{"binary", "not a recording: binary data", []byte("\x00\x01\x02\x03\n"), nil},
		{"archive", "a ZIP archive: unpack it first", []byte("PK\x03\x04\x14\x00"), nil},
		{"compressed tar archive", "a tar archive: unpack it first", compress(t, strings.Repeat("\x00", 257)+"ustar\x0000"), nil},
		{"page", "an HTML page, not a recording: use the recording", []byte("<!doctype html>\n<html"), nil},
		{"table", "a Parquet table, not a recording", []byte("PAR1\x15\x06"), nil},
		{"report in JSON", "a report in JSON, which has no operations", []byte("{\n  \"version\": 1,\n  \"warp_version\": \"devel\"\n}"), nil},
		{"report in JSON on a long line", "a report in JSON", []byte(`{"version":1,"warp_version":"devel"` + strings.Repeat(" ", 2*MaxRow)), nil},
		{"report", "a printed report, which has no operations", []byte(strings.Repeat("-", 40) + "\nOperation: GET\n"), nil},
		{"time series", "a time series (--analyze.out), which", []byte("index\top\thost\tduration_s\n"), nil},
	}
	for _, tt := range tests {
		_, err := NewReader(bytes.NewReader(tt.data), "run.csv.zst")
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "run.csv.zst") || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

func TestReaderOfSourceThatFails(t *testing.T) {
	fault := errors.New("disk on fire")
	data := record(t, sampleHeader, 1, sampleOps()...)
	if _, err := NewReader(iotest.ErrReader(fault), "x"); !errors.Is(err, fault) {
		t.Errorf("at once: %v", err)
	}
	for _, plain := range []bool{false, true} {
		data := data
		if plain {
			data = []byte(decompress(t, data))
		}
		r, err := NewReader(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(fault)), "x")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r.Scan() {
			n++
		}
		if n != 3 || !errors.Is(r.Err(), fault) {
			t.Errorf("after %d rows: %v", n, r.Err())
		}
		r.Close()
	}
}

func TestReaderPassesOverBadRows(t *testing.T) {
	const good = "2026-11-21T03:56:21Z"
	text := tabHeader +
		goodRow(0) +
		tabRow("4294967296", "key", "", good, good) + // line 3
		"# a comment\n\n" +
		tabRow("1", "key", "", "yesterday", good) + // line 6
		goodRow(1) +
		tabRow("2", "key", "\"two\nlines\"", good, good) + // lines 8, 9
		tabRow("2", "key\twith tab", "", good, good) + // line 10
		"0\t1\tGET\n" +
		tabRow("x", strings.Repeat("k", MaxRow), "", good, good) + // line 12
		tabRow("-1", "key", "", good, good) +
		"# warp get\n"
	want := []string{
		`f:3: column 2 (thread): invalid value "4294967296" (want a number from 0 to 4294967295)`,
		`f:6: column 10 (start): invalid value "yesterday" (want a time (RFC 3339))`,
		`f:10: column 10 (start): invalid value "" (want a time (RFC 3339))`,
		`f:11: 3 columns (want 15)`,
		`f:12: row longer than 1048576 bytes`,
		`f:13: column 2 (thread): invalid value "-1" (want a number from 0 to 4294967295)`,
	}
	r, err := NewReader(iotest.OneByteReader(strings.NewReader(text)), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var threads []uint32
	for r.Scan() {
		threads = append(threads, r.Op().Thread)
	}
	if got := fmt.Sprint(threads); got != "[0 1 2]" || r.Err() != nil {
		t.Errorf("threads %s, error %v", got, r.Err())
	}
	if got := strings.Join(r.Warnings(), "\n"); got != strings.Join(want, "\n") || r.Unreadable() != 6 {
		t.Errorf("%d bad rows, warnings:\n%s\nwant:\n%s", r.Unreadable(), got, strings.Join(want, "\n"))
	}
}

func TestReaderKeepsTenWarnings(t *testing.T) {
	ops, r := readAll(t, []byte(tabHeader+strings.Repeat("bad\n", 25)+goodRow(0)))
	w := r.Warnings()
	if len(ops) != 1 || r.Unreadable() != 25 || len(w) != 11 || w[10] != "run.csv.zst: 15 more rows could not be read" {
		t.Errorf("%d rows, %d bad, warnings:\n%s", len(ops), r.Unreadable(), strings.Join(w, "\n"))
	}
}

func TestReaderOfBadRowsOnly(t *testing.T) {
	_, r := readAll(t, []byte(tabHeader+"bad\nworse\n"))
	if r.Err() == nil || !strings.Contains(r.Err().Error(), "run.csv.zst:2: 1 columns") {
		t.Errorf("error %v", r.Err())
	}
	ops, r := readAll(t, []byte(tabHeader))
	noWarnings(t, r)
	if len(ops) != 0 {
		t.Errorf("%d rows in an empty recording", len(ops))
	}
}

// MinIO warp writes keys as they are. Its quotes are not ours to understand.
func TestReaderTakesStrayQuotesAsTheyStand(t *testing.T) {
	keys := []string{`"`, `"half`, `half"`, `a"b`, `"a"b`, `"a" `, `""half`}
	text := tabHeader
	for _, key := range keys {
		text += tabRow("1", key, "", "2026-11-21T03:56:21Z", "2026-11-21T03:56:22Z")
	}
	ops, r := readAll(t, []byte(text))
	noWarnings(t, r)
	if len(ops) != len(keys) {
		t.Fatalf("%d rows, want %d", len(ops), len(keys))
	}
	for i, key := range keys {
		if ops[i].Key != key {
			t.Errorf("key %q is read as %q", key, ops[i].Key)
		}
	}
}

func TestReaderOfConcatenatedRecordings(t *testing.T) {
	ops := sampleOps()
	upstream := "idx,thread,op,bytes,file,error,start,end,duration_ns\n0,1,GET,5,k,,2026-11-21T03:56:21Z,2026-11-21T03:56:22Z,1\n# warp get --old\n"
	want := op.Op{Kind: op.Get, Thread: 1, Bytes: 5, Objects: 1, Key: "k", Start: at(0), End: at(1e9)}
	first := record(t, sampleHeader, 0, ops...)
	second := record(t, Header{Config: []byte(`"other"`), CommandLine: "other"}, 1, ops[:2]...)
	data := bytes.Join([][]byte{first, compress(t, upstream), second, compress(t, tabHeader), first}, nil)
	got, r := readAll(t, data)
	noWarnings(t, r)
	sameOps(t, got, append(append(append(append([]op.Op{}, ops...), want), ops[:2]...), ops...))
	if h := r.Header(); string(h.Config) != `{"seed":42}` || h.CommandLine != sampleHeader.CommandLine || r.meta.recordings != 5 {
		t.Errorf("configuration %s, command line %q, %d recordings", h.Config, h.CommandLine, r.meta.recordings)
	}

	got, r = readAll(t, append(compress(t, upstream), first...))
	noWarnings(t, r)
	sameOps(t, got, append([]op.Op{want}, ops...))
	if h := r.Header(); h.Version != 0 || h.Config != nil || h.CommandLine != "warp get --old" || r.End() != nil {
		t.Errorf("a recording of MinIO warp first: %+v, end %s", h, r.End())
	}
}

// TestReaderOfTwoRuns: a file that holds two runs is refused, since they would look like one with a hole in it. Recordings of one run,
// such as its clients', may be in one file.
func TestReaderOfTwoRuns(t *testing.T) {
	of := func(run string) []byte {
		return record(t, Header{Config: []byte(`{"plan":{"run_id":"` + run + `"}}`)}, 1, sampleOps()...)
	}
	got, r := readAll(t, bytes.Join([][]byte{of("a"), of("a")}, nil))
	noWarnings(t, r)
	sameOps(t, got, append(sampleOps(), sampleOps()...))

	r, err := NewReader(bytes.NewReader(bytes.Join([][]byte{of("a"), of("b")}, nil)), "two")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Scan() {
	}
	if want := "the recording of another run begins here"; r.Err() == nil || !strings.Contains(r.Err().Error(), want) {
		t.Errorf("%v, want %q in it", r.Err(), want)
	}
}

// TestReaderOfOtherCompressions: recordings that were compressed anew are read as they are.
func TestReaderOfOtherCompressions(t *testing.T) {
	text := decompress(t, record(t, sampleHeader, 1, sampleOps()...))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, text)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	got, r := readAll(t, packed.Bytes())
	noWarnings(t, r)
	sameOps(t, got, sampleOps())
	if r.Trailer() != nil || r.Frames() != nil {
		t.Error("frames of zstd in a file of gzip")
	}
	r, err = NewReader(bytes.NewReader(packed.Bytes()[:packed.Len()-30]), "cut")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Scan() {
	}
	if r.Err() != nil || len(r.Incomplete()) == 0 {
		t.Errorf("a truncated file: %v, incomplete: %q", r.Err(), r.Incomplete())
	}
}

func TestReaderWarnsOfComments(t *testing.T) {
	tests := []struct{ text, want string }{
		{"# warp-recording: 2\n" + tabHeader + "# end: {}\n", "f:1: recording version 2 is newer than this program's 1: some of it may be ignored"},
		{"# warp-recording: x\n" + tabHeader + "# end: {}\n", `f:1: invalid recording version "x"`},
		{"# warp-recording: 1\n# config: {\n" + tabHeader + "# end: {}\n", "f:2: ignored the configuration comment: not JSON"},
		{"# warp-recording: 1\n" + tabHeader + "# end: x\n", "f:3: ignored the end comment: not JSON"},
		{"# warp-recording: 1\n" + tabHeader, "f: the recording has no end: the run was killed, or the file is truncated"},
		{
			"# warp-recording: 1\n" + tabHeader + "# warp-recording: 1\n" + tabHeader + "# end: {}\n",
			"f:3: the recording before this line has no end: the run was killed, or the file is truncated",
		},
	}
	for _, tt := range tests {
		r, err := NewReader(strings.NewReader(tt.text), "f")
		if err != nil {
			t.Fatal(err)
		}
		for r.Scan() {
		}
		if got := strings.Join(r.Warnings(), "\n"); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
		r.Close()
	}
}

func TestReaderLimitsRows(t *testing.T) {
	const stamp = "2026-11-21T03:56:21Z"
	length := len(tabRow("1", "", "", stamp, stamp)) - 1
	quoted := func(n int) string { return "\"\n" + strings.Repeat("e", n-len("\"\n\"")) + "\"" }
	tests := []struct {
		name, row string
		rows      int
	}{
		{"as long as may be", tabRow("1", strings.Repeat("k", MaxRow-length), "", stamp, stamp), 1},
		{"one byte longer", tabRow("1", strings.Repeat("k", MaxRow-length+1), "", stamp, stamp), 0},
		{"of two lines, as long as may be", tabRow("1", "", quoted(MaxRow-length), stamp, stamp), 1},
		{"of two lines, one byte longer", tabRow("1", "", quoted(MaxRow-length+1), stamp, stamp), 0},
	}
	for _, tt := range tests {
		ops, r := readAll(t, []byte(tabHeader+goodRow(0)+tt.row+goodRow(2)))
		if len(ops) != 2+tt.rows || ops[len(ops)-1].Thread != 2 || r.Unreadable() != int64(1-tt.rows) {
			t.Errorf("a row %s: %d operations, warnings %.300q", tt.name, len(ops), r.Warnings())
		}
	}
}

func TestReaderPassesOverByteOrderMark(t *testing.T) {
	ops, r := readAll(t, []byte("\ufeff"+tabHeader+goodRow(3)))
	noWarnings(t, r)
	if len(ops) != 1 || ops[0].Thread != 3 {
		t.Errorf("%+v", ops)
	}
}

func TestReaderStopsAtClose(t *testing.T) {
	r, err := NewReader(bytes.NewReader(record(t, Header{}, 1, sampleOps()...)), "f")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Scan() {
		t.Fatal("no first operation")
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil || r.Scan() {
		t.Errorf("it goes on after Close, or %v", err)
	}
}

// Recordings of MinIO warp: as many operations as lines that are neither header nor comment.
func TestReaderOfRealRecordings(t *testing.T) {
	files, err := filepath.Glob("../../../shared/recordings/*.csv.zst")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("there are no recordings next to the checkout")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows := -1 // the header
		for line := range strings.Lines(decompress(t, data)) {
			if !strings.HasPrefix(line, "#") {
				rows++
			}
		}
		ops, r := readAll(t, data)
		noWarnings(t, r)
		if len(ops) != rows || rows < 1000 {
			t.Errorf("%s: %d operations in %d rows", file, len(ops), rows)
		}
		if !strings.Contains(r.Header().CommandLine, "--benchdata=") {
			t.Errorf("%s: command line %q", file, r.Header().CommandLine)
		}
		// What was read can be written and read again.
		again, r := readAll(t, record(t, Header{}, 0, ops...))
		noWarnings(t, r)
		sameOps(t, again, ops)
	}
}
