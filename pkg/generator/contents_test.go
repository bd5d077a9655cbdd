package generator

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"warp/internal/testkit"
)

func TestParseContents(t *testing.T) {
	for text, want := range map[string]contentForm{
		"":                                 {},
		" random ":                         {},
		"zero":                             {zero: true},
		"compressible=30%":                 {compressible: 30},
		"duplicate=0.5%":                   {duplicate: 0.5},
		"duplicate=10%, compressible=100%": {compressible: 100, duplicate: 10},
		"file(a (1), b)":                   {path: "a (1), b"},
		"duplicate=10%/64KiB":              {duplicate: 10, block: 64 << 10},
		"duplicate=10%/4KiB":               {duplicate: 10},
	} {
		if got, err := parseContents(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"csv":                       `--obj.content: invalid value "csv" (want random, zero, compressible=30%,`,
		"compressible":              `--obj.content: compressible: invalid percentage "" (want 0% to 100%)`,
		"compressible=30":           `compressible: invalid percentage "30"`,
		"duplicate=101%":            `duplicate: invalid percentage "101%"`,
		"duplicate=1%/5KiB":         `duplicate: invalid block "5KiB" (want a multiple of 4KiB, at most 4MiB)`,
		"duplicate=1%/8MiB":         `invalid block "8MiB"`,
		"duplicate=1%/":             `invalid block ""`,
		"compressible=1%/64KiB":     `invalid percentage "1%/64KiB"`,
		"duplicate=1%,zero":         `invalid value "duplicate=1%,zero"`,
		"duplicate=1%,":             "invalid value",
		"random,duplicate=1%":       "invalid value",
		"zero,compressible=10%":     "invalid value",
		"duplicate=1%,duplicate=2%": "invalid value",
		"file(":                     "want file(PATH)",
		"file()":                    "want file(PATH)",
	} {
		if _, err := parseContents(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParseContents(f *testing.F) {
	for _, text := range []string{"", "zero", "compressible=30%,duplicate=10%", "file(/x)", "duplicate=1e2%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContents(text)
		if err == nil && !(c.compressible >= 0 && c.compressible <= 100 && c.duplicate >= 0 && c.duplicate <= 100) {
			t.Errorf("%q: %+v", text, c)
		}
	})
}

// mixtures are contents whose shares tests look at.
var mixtures = []string{"compressible=30%", "compressible=100%", "duplicate=10%", "duplicate=100%", "compressible=50%,duplicate=20%", "compressible=0%", "duplicate=30%/64KiB", "compressible=50%,duplicate=40%/12KiB"}

// TestMixturesAreFunctionsOfTheOffset: any part is as in the whole, at the cost of no memory.
func TestMixturesAreFunctionsOfTheOffset(t *testing.T) {
	const size = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, form := range mixtures {
		d := newData(t, form, 7)
		whole := contents(d, 5, size)
		if bytes.Equal(whole, contents(d, 6, size)) && form != "duplicate=100%" {
			t.Errorf("%s: two objects hold the same", form)
		}
		part := make([]byte, size)
		for range 1000 {
			off := r.IntN(size)
			p := part[:r.IntN(min(9000, size-off)+1)]
			d.fill(p, 5, int64(off))
			if !bytes.Equal(p, whole[off:off+len(p)]) {
				t.Fatalf("%s: %d bytes at %d differ from the whole", form, len(p), off)
			}
		}
		if n := testing.AllocsPerRun(10, func() { d.fill(part, 5, 77) }); n > 0 {
			t.Errorf("%s: %.0f allocations", form, n)
		}
	}
}

// TestCompressible: objects, and blocks of them, compress to the share that is left, in any order of magnitude of their size.
func TestCompressible(t *testing.T) {
	testkit.SkipSerial(t)
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for form, share := range map[string]float64{"compressible=0%": 0, "compressible=30%": 0.3, "compressible=75%": 0.75, "compressible=100%": 1} {
		d := newData(t, form, 3)
		for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 4 << 20} {
			raw, packed, n := 0, 0, uint64(max(1, 4<<20/size))
			for i := range n {
				p := contents(d, i, size)
				raw, packed = raw+size, packed+len(w.EncodeAll(p, nil))
			}
			got := 1 - float64(packed)/float64(raw)
			if slack := 0.02 + 150/float64(min(size, 4<<10)); math.Abs(got-share) > slack {
				t.Errorf("%s: objects of %d bytes shrink by %.3f, want %.2f within %.3f", form, size, got, share, slack)
			}
		}
	}
}

// duplicates returns how many of the blocks of 4 KiB of some objects occurred before, by clients with seeds of their own.
func duplicates(t *testing.T, form string, shared uint64, seeds ...uint64) (share float64) {
	seen, total := map[[blockBytes]byte]bool{}, 0
	for _, seed := range seeds {
		s := Spec{Generator: form}
		d, err := s.NewData(seed, shared)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(4) {
			p := contents(d, i, 8<<20)
			for ; len(p) > 0; p = p[blockBytes:] {
				seen[[blockBytes]byte(p)] = true
				total++
			}
		}
	}
	return 1 - float64(len(seen))/float64(total)
}

// TestDuplicate plays a store that keeps each block once, another client's too. 256 blocks are no duplicates of others.
func TestDuplicate(t *testing.T) {
	testkit.SkipSerial(t)
	for form, want := range map[string]float64{"duplicate=0%": 0, "duplicate=10%": 0.1, "compressible=60%,duplicate=40%": 0.4, "compressible=100%": 0} {
		got, both := duplicates(t, form, 9, 1), duplicates(t, form, 9, 1, 2)
		if slack := want*0.05 + 256.0/8192; got > want+slack || got < want-slack || want == 0 && got != 0 {
			t.Errorf("%s: %.3f of the blocks are duplicates", form, got)
		}
		if want > 0 && both < got {
			t.Errorf("%s: %.3f of one client, %.3f of two", form, got, both)
		}
	}
}

// TestDuplicateBlocks plays stores that keep each block of one size once. They find the share that was asked for at the size that was
// asked for, and at 4 KiB; at twice the size they find next to nothing.
func TestDuplicateBlocks(t *testing.T) {
	testkit.SkipSerial(t)
	found := func(form string, block int) float64 {
		seen, total := map[string]bool{}, 0
		for client := range uint64(2) {
			s := Spec{Generator: form}
			d, err := s.NewData(1+client, 9)
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint64(8) {
				for p := contents(d, i, 6<<20); len(p) >= block; p = p[block:] {
					sum := sha256.Sum256(p[:block])
					seen[string(sum[:])], total = true, total+1
				}
			}
		}
		return 1 - float64(len(seen))/float64(total)
	}
	for _, c := range []struct {
		form  string
		block int
		share float64
	}{
		{"duplicate=30%/64KiB", 64 << 10, 0.3},
		{"compressible=40%,duplicate=25%/256KiB", 256 << 10, 0.25},
		{"duplicate=50%/12KiB", 12 << 10, 0.5},
		{"duplicate=10%/4KiB", 4 << 10, 0.1},
	} {
		blocks := 16 * (6 << 20 / c.block)
		slack := 5*math.Sqrt(c.share*(1-c.share)/float64(blocks)) + float64(max(minPool, 1<<20/c.block))/float64(blocks)
		if got := found(c.form, c.block); math.Abs(got-c.share) > slack {
			t.Errorf("%s: %.3f of the blocks are duplicates, want %.2f within %.3f", c.form, got, c.share, slack)
		}
		if got := found(c.form, 4<<10); math.Abs(got-c.share) > slack {
			t.Errorf("%s: at 4 KiB %.3f are duplicates", c.form, got)
		}
		if got := found(c.form, 2*c.block); got > c.share*c.share+slack {
			t.Errorf("%s: at twice the size %.3f are duplicates", c.form, got)
		}
	}
}

// TestMixturesNeverChange: see TestDataNeverChanges.
func TestMixturesNeverChange(t *testing.T) {
	d := newData(t, "compressible=50%,duplicate=50%", 1)
	p := contents(d, 2, 64<<10)
	got := Mix(0, 0)
	for _, b := range p {
		got = Mix(got, uint64(b))
	}
	if want := uint64(0x6333ecf7af27e66b); got != want {
		t.Errorf("contents changed: %#x, want %#x", got, want)
	}
}

func TestContentsOfFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b": strings.Repeat("bcd", 7000), "a": "0123456789", "sub/c": "end"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := "0123456789" + strings.Repeat("bcd", 7000) + "end"
	var s Spec
	if err := s.SetContents("file("+dir+")", nil); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var other Spec // that another client gets
	if err := json.Unmarshal(text, &other); err != nil || other.Validate() != nil {
		t.Fatalf("%s: %v, %v", text, err, other.Validate())
	}
	d, err := other.NewData(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var starts []int
	for at := 0; at < len(all); at += blockBytes {
		starts = append(starts, at)
	}
	begins := map[int]bool{}
	for i := range uint64(50) {
		p := contents(d, i, 3*len(all))
		at := slices.IndexFunc(starts, func(at int) bool { return string(p[:len(all)]) == (all + all)[at:at+len(all)] })
		if at < 0 || string(p[:len(all)]) != string(p[len(all):2*len(all)]) {
			t.Fatalf("object %d does not hold the files from a block on", i)
		}
		begins[at] = true
		part := make([]byte, 1000)
		if d.fill(part, i, 20_500); !bytes.Equal(part, p[20_500:21_500]) {
			t.Fatalf("object %d: a part differs from the whole", i)
		}
	}
	if len(begins) < 3 {
		t.Errorf("objects begin at %v only", begins)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("0123456780"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, sources.of = nil, nil
	if _, err := other.NewData(1, 1); err == nil || !strings.Contains(err.Error(), "holds something else than when the run was planned") {
		t.Errorf("a file that changed: %v", err)
	}
	for form, want := range map[string]string{"file(" + dir + "/none)": "none", "file(" + t.TempDir() + ")": "no contents"} {
		if err := new(Spec).SetContents(form, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", form, err, want)
		}
	}
	if err := (&Spec{Generator: "file(/x)"}).Validate(); err == nil || !strings.Contains(err.Error(), "the file was not read") {
		t.Errorf("a file without a sum: %v", err)
	}
}

func BenchmarkContents(b *testing.B) {
	for _, form := range []string{"random", "compressible=30%", "compressible=90%", "duplicate=10%", "duplicate=90%", "compressible=30%,duplicate=10%"} {
		for name, size := range map[string]int{"4KiB": 4 << 10, "64KiB": 64 << 10, "1MiB": 1 << 20} {
			b.Run(form+"/"+name, func(b *testing.B) {
				d, p := newData(b, form, 1), make([]byte, size)
				b.SetBytes(int64(size))
				for i := uint64(0); b.Loop(); i++ {
					d.fill(p, i, 0)
				}
			})
		}
	}
}
