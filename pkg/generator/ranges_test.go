package generator

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestParseRanges(t *testing.T) {
	for _, c := range []struct {
		text string
		want Ranges
		form string // empty: the text
	}{
		{"random", Ranges{{Place: PlaceRandom}}, ""},
		{"64KiB", Ranges{{Min: 65536, Max: 65536, Place: PlaceRandom}}, "64KiB@random"},
		{"1MiB..8MiB@random", Ranges{{Min: 1 << 20, Max: 8 << 20, Place: PlaceRandom}}, ""},
		{" 8@end , 64KiB@start", Ranges{{Min: 8, Max: 8, Place: PlaceEnd}, {Min: 65536, Max: 65536, Place: PlaceStart}}, "8B@end,64KiB@start"},
		{"4KiB@aligned", Ranges{{Min: 4096, Max: 4096, Place: PlaceAligned, Block: 4096}}, ""},
		{"1B..4KiB@aligned(512)", Ranges{{Min: 1, Max: 4096, Place: PlaceAligned, Block: 512}}, "1B..4KiB@aligned(512B)"},
		{"1MiB@seq", Ranges{{Min: 1 << 20, Max: 1 << 20, Place: PlaceInOrder}}, ""},
	} {
		got, err := ParseRanges(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseRanges(%q) = %+v, %v; want %+v", c.text, got, err, c.want)
		}
		form := c.form
		if form == "" {
			form = c.text
		}
		data, err := json.Marshal(got)
		var back Ranges
		if got.String() != form || err != nil || json.Unmarshal(data, &back) != nil || !slices.Equal(back, got) {
			t.Errorf("%q is written %q (want %q), as JSON %s, read as %+v (%v)", c.text, got, form, data, back, err)
		}
	}
}

// TestNoRangesAsJSON: none is written and read too.
func TestNoRangesAsJSON(t *testing.T) {
	var none, back Ranges
	data, err := json.Marshal(none)
	if err != nil || json.Unmarshal(data, &back) != nil || back != nil {
		t.Errorf("no ranges are %s, read as %v (%v)", data, back, err)
	}
}

func TestParseRangesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `invalid range "" (want ` + rangeForms + ")",
		"64KiB@":               `unknown place "" of a range (want random, start, end, seq or aligned)`,
		"64KiB@middle":         `unknown place "middle" of a range (want random, start, end, seq or aligned)`,
		"0@end":                `invalid range "0@end" (want ` + rangeForms + ")",
		"8..4@end":             `invalid range "8..4@end" (want ` + rangeForms + ")",
		"8@end(4)":             `invalid range "8@end(4)" (want ` + rangeForms + ")",
		"8@end,":               `invalid range "" (want ` + rangeForms + ")",
		"random@end":           `invalid range "random@end" (want ` + rangeForms + ")",
		"1KiB..2KiB@aligned":   "aligned: the length varies (want a block, as in 1KiB..2KiB@aligned(64KiB))",
		"4KiB@aligned(0)":      `aligned: invalid block "0" (want a size of 1 byte or more)`,
		"4KiB@aligned(1KiB,2)": "invalid range \"4KiB@aligned(1KiB\" (want " + rangeForms + ")",
	} {
		if got, err := ParseRanges(text); err == nil || err.Error() != want {
			t.Errorf("ParseRanges(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}

func FuzzParseRanges(f *testing.F) {
	for _, seed := range []string{"random", "64KiB", "1MiB..8MiB@random,8B@end", "1B..4KiB@aligned(512)", "1MiB@seq", "9223372036854775807@seq"} {
		f.Add(seed, int64(1000), uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, size int64, turn uint64) {
		r, err := ParseRanges(text)
		if err != nil {
			return
		}
		back, err := ParseRanges(r.String())
		if err != nil || !slices.Equal(back, r) {
			t.Fatalf("%q is written %q, read as %v (%v)", text, r, back, err)
		}
		if size < 0 {
			return
		}
		p := r.Parts(size, 1, 2, turn)
		for range 2 * maxRanges {
			offset, length, ok := p.Next()
			if !ok {
				break
			}
			if whole := size < 2 && offset == 0 && length == 0; !whole && (offset < 0 || length < 1 || offset > size-length) {
				t.Fatalf("%q of %d bytes: offset %d, length %d", text, size, offset, length)
			}
		}
	})
}

// part is offset and length of a part.
type part [2]int64

// partsOf returns the parts that are read in a turn.
func partsOf(t *testing.T, text string, size int64, turn uint64) (list []part) {
	t.Helper()
	r, err := ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	for p := r.Parts(size, 3, 4, turn); ; {
		offset, length, ok := p.Next()
		if !ok {
			return list
		}
		list = append(list, part{offset, length})
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		text string
		size int64
		want []part
	}{
		{"8@end,64@end", 100, []part{{92, 8}, {36, 64}}},
		{"8@start", 100, []part{{0, 8}}},
		{"200@end", 100, []part{{0, 100}}},
		{"200@aligned", 100, []part{{0, 100}}},
		{"40@seq", 100, []part{{0, 40}, {40, 40}, {80, 20}}},
		{"50@seq,1@end,60@seq", 100, []part{{0, 50}, {50, 50}, {99, 1}, {0, 60}, {60, 40}}},
		{"8@end,8@start", 1, []part{{0, 0}}}, // the whole object
		{"8@end,8@start", 0, []part{{0, 0}}},
	} {
		if got := partsOf(t, c.text, c.size, 5); !slices.Equal(got, c.want) {
			t.Errorf("%s of %d bytes: %v, want %v", c.text, c.size, got, c.want)
		}
	}
	p := Ranges(nil).Parts(100, 1, 2, 3)
	if offset, length, ok := p.Next(); offset != 0 || length != 0 || !ok {
		t.Error("without ranges the whole object is read")
	}
	if _, _, ok := p.Next(); ok {
		t.Error("the whole object is read twice")
	}
}

// TestPartsReach: each offset that a range may have comes up, and no other.
func TestPartsReach(t *testing.T) {
	for text, want := range map[string]struct {
		first, last, step int64 // of offsets
		shortest, longest int64 // length
	}{
		"random":            {0, 99, 1, 1, 100},
		"10@random":         {0, 90, 1, 10, 10},
		"10..20@random":     {0, 90, 1, 10, 20},
		"30@aligned":        {0, 90, 30, 10, 30}, // the last block ends with the object
		"5..20@aligned(10)": {0, 90, 10, 5, 20},
		"10..20@end":        {80, 90, 1, 10, 20},
		"30..40@seq":        {0, 99, 1, 1, 40},
	} {
		offsets, lengths := map[int64]bool{}, map[int64]bool{}
		for turn := range uint64(20000) {
			end := int64(0)
			for _, p := range partsOf(t, text, 100, turn) {
				offsets[p[0]], lengths[p[1]], end = true, true, p[0]+p[1]
			}
			if text == "30..40@seq" && end != 100 {
				t.Fatalf("%s ends at %d", text, end)
			}
		}
		for o := range offsets {
			if o < want.first || o > want.last || o%want.step != 0 {
				t.Errorf("%s: offset %d", text, o)
			}
		}
		for l := range lengths {
			if l < want.shortest || l > want.longest {
				t.Errorf("%s: length %d", text, l)
			}
		}
		if all := int((want.last-want.first)/want.step) + 1; len(offsets) != all && text != "30..40@seq" {
			t.Errorf("%s: %d of %d offsets", text, len(offsets), all)
		}
		if !lengths[want.shortest] || !lengths[want.longest] {
			t.Errorf("%s: lengths %v", text, lengths)
		}
	}
}

// TestSeveralPartsDiffer: ranges of one turn are independent of each other.
func TestSeveralPartsDiffer(t *testing.T) {
	same := 0
	for turn := range uint64(1000) {
		if p := partsOf(t, "10@random,10@random", 1000, turn); p[0] == p[1] {
			same++
		}
	}
	if same > 10 {
		t.Errorf("the two ranges were the same in %d of 1000 turns", same)
	}
}

func TestEstimateOfRanges(t *testing.T) {
	for text, want := range map[string][2]float64{ // of 1000 bytes
		"8@end,64@end":     {72, 2},
		"10..30@random":    {20, 1},
		"300@aligned":      {250, 1},
		"100@seq":          {1000, 10},
		"5000@start,1@end": {1001, 2},
	} {
		r, err := ParseRanges(text)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]float64
		for i := range uint64(2000) {
			bytes, requests := r.Estimate(1000, i)
			got[0], got[1] = got[0]+bytes/2000, got[1]+requests/2000
		}
		if math.Abs(got[0]/want[0]-1) > 0.05 || math.Abs(got[1]/want[1]-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
