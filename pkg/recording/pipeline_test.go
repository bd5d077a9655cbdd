package recording

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"warp/pkg/op"
)

// script is the text of a recording that has everything in it, and what must be read from it.
type script struct {
	text     strings.Builder
	lines    int // begun so far
	keys     []string
	bad      []string // "run.csv.zst:LINE:" of the rows that cannot be read
	headers  int
	reversed bool // the columns are in the other layout
}

const otherHeader = "op\tend\tstart\terror\tbytes\tthread\tfile\n"

func (s *script) line(text string) {
	s.text.WriteString(text + "\n")
	s.lines += 1 + strings.Count(text, "\n")
}

func (s *script) header() {
	s.headers++
	s.reversed = s.headers%2 == 0
	if s.reversed {
		s.line(strings.TrimSuffix(otherHeader, "\n"))
	} else {
		s.line(strings.TrimSuffix(tabHeader, "\n"))
	}
}

// row adds a row with the key, in the present layout.
func (s *script) row(key, err string) {
	s.keys = append(s.keys, key)
	if s.reversed {
		s.line("GET\t2026-11-21T03:56:22Z\t2026-11-21T03:56:21Z\t" + err + "\t10\t3\t" + key)
	} else {
		s.line(strings.TrimSuffix(tabRow("3", key, err, "2026-11-21T03:56:21Z", "2026-11-21T03:56:22Z"), "\n"))
	}
}

// newScript makes a text of n parts, chosen by chance.
func newScript(seed uint64, parts int) *script {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &script{}
	s.header()
	for n := range parts {
		switch k := r.IntN(1000); {
		case k < 900:
			s.row(fmt.Sprint("key", n), "")
		case k < 930:
			s.row(fmt.Sprint("thread", n), `"two`+"\n"+`""lines"""`)
		case k < 950:
			s.row(fmt.Sprintf(`"half%d`, n), "")
		case k < 970:
			s.line("# comment")
		case k < 980:
			s.bad = append(s.bad, fmt.Sprintf("run.csv.zst:%d:", s.lines+1))
			s.line("thread\tis no row")
		case k < 985:
			s.line("")
		case k < 995:
			s.row(strings.Repeat("long", 20_000)+fmt.Sprint(n), "")
		case k < 997:
			s.bad = append(s.bad, fmt.Sprintf("run.csv.zst:%d:", s.lines+1))
			s.line(strings.Repeat("x", MaxRow+r.IntN(2*readChunk)))
		default:
			s.header()
		}
	}
	return s
}

// Whatever stands in a recording, and wherever blocks end in it, the rows come in their order, under the header line
// above them, and what is wrong is reported with its line.
func TestReaderKeepsTheOrderOfTheFile(t *testing.T) {
	for seed := range uint64(6) {
		s := newScript(seed, 4000)
		r, err := NewReader(iotest.HalfReader(strings.NewReader(s.text.String())), "run.csv.zst")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; r.Scan(); n++ {
			o := r.Op()
			if n >= len(s.keys) || o.Key != s.keys[n] || o.Thread != 3 || o.Bytes != 10 || o.End.Sub(o.Start) != 1e9 {
				t.Fatalf("seed %d: row %d is %+v", seed, n, *o)
			}
		}
		if n != len(s.keys) || r.Unreadable() != int64(len(s.bad)) || r.meta.recordings != s.headers || r.Err() != nil {
			t.Errorf("seed %d: %d rows of %d, %d bad of %d, %d headers of %d, %v", seed, n, len(s.keys), r.Unreadable(), len(s.bad), r.meta.recordings, s.headers, r.Err())
		}
		for i, w := range r.Warnings()[:min(maxNotes, len(s.bad))] {
			if !strings.HasPrefix(w, s.bad[i]) {
				t.Errorf("seed %d: warning %q, want one of %s", seed, w, s.bad[i])
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A reading that is given up leaves no goroutine (see TestMain), at whatever point.
func TestReaderCanBeClosedAtAnyTime(t *testing.T) {
	text := newScript(7, 8000).text.String()
	for _, rows := range []int{0, 1, 500, 5000} {
		r, err := NewReader(strings.NewReader(text), "run.csv.zst")
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < rows && r.Scan(); n++ {
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if r.Scan() {
			t.Error("there are rows after Close")
		}
	}
}

func TestReaderOnly(t *testing.T) {
	ops := sampleOps()
	r, err := NewReader(bytes.NewReader(record(t, sampleHeader, 0, ops...)), "run.csv.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Only("thread", "op", "start")
	n := 0
	for ; r.Scan(); n++ {
		want := op.Op{Thread: ops[n].Thread, Kind: ops[n].Kind, Phase: ops[n].Phase, Start: ops[n].Start, Objects: 1}
		if *r.Op() != want {
			t.Errorf("operation %d is %+v, want %+v", n, *r.Op(), want)
		}
	}
	if n != len(ops) {
		t.Errorf("%d operations of %d", n, len(ops))
	}
}

// The arrival follows from two columns.
func TestReaderOnlyOfUnread(t *testing.T) {
	r, err := NewReader(bytes.NewReader(record(t, sampleHeader, 0, sampleOps()[1])), "run.csv.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Only(unreadColumn)
	if !r.Scan() {
		t.Fatal(r.Err())
	}
	if o := sampleOps()[1]; !r.Op().Arrived.Equal(o.Arrived) || !r.Op().End.Equal(o.End) {
		t.Errorf("arrived %v, ended %v", r.Op().Arrived, r.Op().End)
	}
}

func TestIndexSep(t *testing.T) {
	for n := range 70 {
		for at := -1; at < n; at++ {
			b := bytes.Repeat([]byte{'\n', 0x89, 0x08, 0xff}, 20)[:n]
			if at >= 0 {
				b[at] = '\t'
			}
			if at+9 < n {
				b[at+9] = '\t' // a later one does not matter
			}
			if want := bytes.IndexByte(b, '\t'); indexSep(b, '\t') != want {
				t.Fatalf("%q: %d, want %d", b, indexSep(b, '\t'), want)
			}
		}
	}
}
