package recording

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"warp/pkg/op"
)

// quickLayouts are all columns, and those that the search for windows wants.
func quickLayouts(t testing.TB) []*layout {
	t.Helper()
	l, err := parseHeader([]byte(strings.TrimSuffix(header, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return []*layout{l, l.only([]string{"thread", "op", "client_id", "start", "end", "phase"}), l.only([]string{"op", "end"}), l.only([]string{"end", unreadColumn}), l.only([]string{})}
}

// What quick reads is what parse reads. The parsers know the minute of good rows, as in the middle of a recording.
func FuzzQuick(f *testing.F) {
	var w rowWriter
	layouts, ordinary := quickLayouts(f), benchOps()[:5]
	for _, o := range append(ordinary, sampleOps()...) {
		f.Add(bytes.TrimSuffix(w.append(nil, &o), newline))
	}
	f.Add([]byte("0\t1\tGET\t\t1\t-5\t\t\t\t2026-11-21T03:56:21.123456789Z\t\t\t2026-11-21T03:56:21Z\t\t0\t\t0\t0\t"))
	f.Fuzz(func(t *testing.T, row []byte) {
		if bytes.ContainsAny(row, "\"\n") {
			return
		}
		for i, l := range layouts {
			var quick, careful op.Op
			p := rowParser{layout: l}
			for _, o := range ordinary[:2] {
				if good := bytes.TrimSuffix(w.append(nil, &o), newline); p.parse(good, &quick) != nil || !p.quick(good, &quick) {
					t.Fatalf("layout %d: an ordinary row is not read quickly", i)
				}
			}
			if !p.quick(row, &quick) {
				continue
			}
			if err := p.parse(row, &careful); err != nil || quick != careful {
				t.Errorf("layout %d: %q is read as\n%+v, but should be\n%+v (%v)", i, row, quick, careful, err)
			}
		}
	})
}

func TestSkipColumns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		row := make([]byte, rnd.IntN(60))
		for i := range row {
			row[i] = "\t\t\b\n\x89a"[rnd.IntN(6)] // neighbours of the separator too
		}
		at, n := rnd.IntN(len(row)+1), rnd.IntN(12)
		want := 0
		for _, field := range bytes.SplitN(row[at:], []byte{'\t'}, n+1)[:min(n, bytes.Count(row[at:], []byte{'\t'})+1)] {
			want += len(field) + 1
		}
		got := skipColumns(row, at, '\t', n)
		if inside := want <= len(row[at:]); inside && got != want || !inside && got < want {
			t.Fatalf("%q from %d: %d columns are %d long, want %d", row, at, n, got, want)
		}
	}
}

func TestEightDigits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		text := []byte(strconv.FormatInt(100_000_000+rnd.Int64N(100_000_000), 10)[1:])
		if rnd.IntN(2) == 0 {
			text[rnd.IntN(8)] = byte(rnd.IntN(256))
		}
		var x uint64
		for i, c := range text {
			x |= uint64(c) << (8 * i)
		}
		n, ok := eightDigits(x)
		want, valid := parseInt(text)
		if text[0] == '-' {
			valid = false
		}
		if ok != valid || ok && n != want {
			t.Errorf("%q is %d, %v; want %d, %v", text, n, ok, want, valid)
		}
	}
}
