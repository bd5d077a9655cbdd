package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/op"
)

// sampleOps are a few operations that use all columns.
func sampleOps() []op.Op {
	return []op.Op{
		{Kind: op.Put, Phase: op.PhasePrepare, Client: "DF11", Thread: 3, Start: at(0), Sent: at(954856), FirstByte: at(5000000), End: at(5082117), Bytes: 10240, Objects: 1, Status: 200, Endpoint: "http://127.0.0.1:9000", Key: "MP9bhgIe/1.rnd"},
		{
			Kind: op.Get, Client: "DF11", Thread: 4294967295, Due: at(700000000), Start: at(1000000000), FirstByte: at(1001000000), End: at(1002500000), Bytes: 10240, Objects: 1, Status: 200, Retries: 2, Endpoint: "http://127.0.0.1:9000", Key: "a\tb",
			OwnLate: 81234, Arrived: at(1002487655), Resent: 1,
		},
		{Kind: op.Delete, Client: "DF11", Start: at(1100000000), End: at(1200000000), Objects: 20, Cat: 3, Endpoint: "http://127.0.0.1:9001", Err: "503 SlowDown: \"please\"\nwait"},
	}
}

var sampleHeader = Header{
	Config:      json.RawMessage("{\n  \"seed\": 42\n}"),
	CommandLine: "warp get --host=127.0.0.1:9000\nsecond line",
}

func TestWriterGolden(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, sampleHeader)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(sampleOps()); err != nil {
		t.Fatal(err)
	}
	if err := w.SetEnd(map[string]any{"done": 3, "late": 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/recording.csv", decompress(t, b.Bytes()))
}

func TestWriterFlushMakesACompleteFile(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, sampleHeader)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(decompress(t, b.Bytes()), "\n"); got != 3 {
		t.Errorf("%d lines right after the start, want the version, the configuration and the header", got)
	}
	ops := sampleOps()
	for i := range ops {
		if err := w.Write(ops[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got, _ := readAll(t, b.Bytes())
		sameOps(t, got, ops[:i+1])
	}
	size := b.Len()
	if err := w.Flush(); err != nil || b.Len() != size {
		t.Errorf("a flush of nothing: error %v, %d bytes", err, b.Len()-size)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// frameCounter decompresses each call of Write on its own.
type frameCounter struct {
	t     *testing.T
	texts []string
}

func (f *frameCounter) Write(b []byte) (int, error) {
	f.texts = append(f.texts, decompress(f.t, b))
	return len(b), nil
}

func TestWriterFramesStandAlone(t *testing.T) {
	f := &frameCounter{t: t}
	w, err := NewWriter(f, Header{})
	if err != nil {
		t.Fatal(err)
	}
	ops := sampleOps()
	const rows = 20000
	for i := range rows {
		if err := w.Write(ops[i%3 : i%3+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(f.texts) < 4 {
		t.Errorf("%d frames for %d rows", len(f.texts), rows)
	}
	for i, text := range f.texts {
		if len(text) > frameText+1000 || !strings.HasSuffix(text, "\n") {
			t.Errorf("frame %d holds %d bytes, or ends in a row", i, len(text))
		}
	}
}

// fullDisk has room for this number of bytes.
type fullDisk struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), d.room-d.Len())
	d.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func TestWriterOnAFullDisk(t *testing.T) {
	whole := record(t, sampleHeader, 1, sampleOps()...)
	for room := range len(whole) {
		d := &fullDisk{room: room}
		w, err := NewWriter(d, sampleHeader)
		if err == nil {
			for _, o := range sampleOps() {
				err = errors.Join(w.Write([]op.Op{o}), w.Flush())
			}
			err = errors.Join(err, w.Close())
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes of %d: error %v", room, len(whole), err)
		}
		if !bytes.Equal(d.Bytes(), whole[:room]) {
			t.Fatalf("room for %d bytes: something was written behind the failure", room)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	long, err := json.Marshal(strings.Repeat("x", MaxRow))
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []string{"{", "not JSON", string(long)} {
		if _, err := NewWriter(new(bytes.Buffer), Header{Config: json.RawMessage(config)}); err == nil {
			t.Errorf("configuration %s is taken", excerpt([]byte(config)))
		}
	}
	w, err := NewWriter(new(bytes.Buffer), Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []any{func() {}, string(long)} {
		if err := w.SetEnd(end); err == nil {
			t.Errorf("end of type %T is taken", end)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := w.Write(sampleOps()); err == nil {
		t.Error("operations are taken after Close")
	}
}

func TestWriterFormatting(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"plain key/1.rnd", "plain key/1.rnd"},
		{"#no comment", "#no comment"},
		{"a,b", "a,b"},
		{"\xff\xfe", "\xff\xfe"},
		{"ends with space ", "ends with space "},
		{" leads", `" leads"`},
		{"\u00a0leads", "\"\u00a0leads\""},
		{"\vleads", "\"\vleads\""},
		{"a\tb", "\"a\tb\""},
		{`"`, `""""`},
		{`say "no"`, `"say ""no"""`},
		{"a\nb", "\"a\nb\""},
		{"a\rb", "\"a\rb\""},
	}
	for _, tt := range tests {
		if got := string(appendText(nil, tt.text)); got != tt.want {
			t.Errorf("%q is written as %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWriterCutsTexts(t *testing.T) {
	quotes := strings.Repeat(`"`, MaxRow)
	o := op.Op{Kind: op.Kind(quotes), Phase: quotes, Client: quotes, Endpoint: quotes, Key: quotes, Err: quotes, Start: at(0), End: at(1)}
	ops, r := readAll(t, record(t, Header{}, 0, o, o))
	noWarnings(t, r)
	if len(ops) != 2 {
		t.Fatalf("%d rows of texts too long were read, want 2", len(ops))
	}
	if got := ops[1].Err; len(got) != maxText || !strings.HasSuffix(got, `"...`) {
		t.Errorf("a text too long has %d bytes", len(got))
	}
}

func TestWriterAllocatesNothingPerRow(t *testing.T) {
	w, err := NewWriter(discard{}, Header{})
	if err != nil {
		t.Fatal(err)
	}
	ops := sampleOps()
	write := func() {
		for range 5000 {
			if err := w.Write(ops); err != nil {
				t.Fatal(err)
			}
		}
	}
	write() // the memory of text and frame
	if got := testing.AllocsPerRun(3, write); got > 50 {
		t.Errorf("%v allocations for 15000 rows", got)
	}
}

// discard is io.Discard without its methods for strings.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

var (
	_ op.Sink    = (*Writer)(nil)
	_ op.Flusher = (*Writer)(nil)
	_ op.Source  = (*Reader)(nil)
)

// Eight bytes at a time, and one by one: the same texts need quotes.
func TestNeedsQuotes(t *testing.T) {
	const plain = "aZ09!#~\x00\x1f\x7f\x80\xa2\xff é."
	for length := range 40 {
		text := []byte(strings.Repeat(plain, 3))[:length]
		if length > 0 {
			text[0] = 'a' // white space there needs quotes
		}
		if needsQuotes(string(text)) {
			t.Errorf("%q needs quotes", text)
		}
		for i := range text {
			for c := range 256 {
				one := bytes.Clone(text)
				one[i] = byte(c)
				want := strings.ContainsAny(string(byte(c)), "\t\"\r\n") && c < 128
				if i > 0 && needsQuotes(string(one)) != want {
					t.Fatalf("%q needs quotes: %v", one, !want)
				}
			}
		}
	}
}

func BenchmarkNeedsQuotes(b *testing.B) {
	key := strings.Repeat("run0001/0000123.9e3779b97f4a7c15.rnd", 2)
	for b.Loop() {
		if needsQuotes(key) {
			b.Fatal("it needs none")
		}
	}
}
