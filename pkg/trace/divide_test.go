package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// named brings a trace into the compact form, with names.
func named(t *testing.T, text string) *trace.Player {
	t.Helper()
	return tracetest.Player(t, []byte(text), trace.OriginalNames)
}

// described returns all operations of a trace as text, with the names of their objects and the sizes that these must have before.
func described(t *testing.T, p *trace.Player) (list []string) {
	t.Helper()
	for n := range uint64(p.Operations) {
		o, err := p.Operation(n)
		if err != nil {
			t.Fatal(err)
		}
		name, err := p.Name(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		before := int64(-1)
		if o.Object < uint64(p.Objects.First) {
			if before, err = p.Size(o.Object); err != nil {
				t.Fatal(err)
			}
		}
		c := *o
		c.Object = 0
		list = append(list, fmt.Sprintf("%s %d %+v", name, before, c))
	}
	return list
}

// TestDivide: parts together are the trace, each operation at its time and of the same object, and no object is in two parts.
func TestDivide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for i := range 20_000 {
		object := min(rnd.IntN(700), rnd.IntN(700))
		kind := []string{"GET", "GET", "PUT", "HEAD", "DELETE"}[rnd.IntN(5)]
		fmt.Fprintf(&text, "%d REST.%s.OBJECT k%d %d\n", 50+i/2, kind, object, 1000+object)
	}
	whole := named(t, text.String())
	for _, parts := range []int{1, 2, 3, 16} {
		outs, texts := make([]io.Writer, parts), make([]bytes.Buffer, parts)
		for i := range outs {
			outs[i] = &texts[i]
		}
		summaries, err := trace.Divide(t.Context(), whole, outs)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		owner, first, kinds := map[string]int{}, int64(0), map[string]int64{}
		for i := range texts {
			p := tracetest.Open(t, texts[i].Bytes())
			if p.Operations != summaries[i].Operations || p.Objects != summaries[i].Objects || p.Span != whole.Span || !p.Begin.Equal(whole.Begin) {
				t.Errorf("part %d of %d: %+v, want %+v", i, parts, p.Summary, summaries[i])
			}
			for _, k := range p.Kinds {
				kinds[string(k.Kind)] += k.Operations
			}
			first += p.Objects.First
			list := described(t, p)
			for _, line := range list {
				name, _, _ := strings.Cut(line, " ")
				if was, ok := owner[name]; ok && was != i {
					t.Fatalf("%s is in parts %d and %d", name, was, i)
				}
				owner[name] = i
			}
			all = append(all, list...)
		}
		want := described(t, whole)
		slices.Sort(all)
		slices.Sort(want)
		if !slices.Equal(all, want) {
			t.Errorf("%d parts have %d operations together, the trace %d, or they differ", parts, len(all), len(want))
		}
		if first != whole.Objects.First || int64(len(owner)) != whole.Objects.Count {
			t.Errorf("%d parts: %d objects to be there first, %d in all; want %d and %d", parts, first, len(owner), whole.Objects.First, whole.Objects.Count)
		}
		for _, k := range whole.Kinds {
			if kinds[string(k.Kind)] != k.Operations {
				t.Errorf("%d parts: %d × %s, want %d", parts, kinds[string(k.Kind)], k.Kind, k.Operations)
			}
		}
	}
}

// TestDivideFewObjects: what cannot be divided is refused.
func TestDivideFewObjects(t *testing.T) {
	p := named(t, "1 REST.GET.OBJECT a 10\n2 REST.PUT.OBJECT b 10\n")
	_, err := trace.Divide(t.Context(), p, []io.Writer{io.Discard, io.Discard, io.Discard})
	if err == nil || !strings.Contains(err.Error(), "2 objects, fewer than the 3 parts") {
		t.Error(err)
	}
}

// TestDivideCopies: what is copied is in the part of what is made of it: the object itself, or one of its own that is there first, of the right size.
func TestDivideCopies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	text.WriteString("thread\top\tclient_id\tn_objects\tbytes\tfile\terror\tstart\tend\tduration_ns\tdue\tphase\tsource\tcopied\n")
	key := func() int { return rnd.IntN(60) }
	for i := range 3000 {
		k := key()
		kind, size, source, copied := "GET", 1000+k, "", 0
		switch rnd.IntN(5) {
		case 0:
			from := key()
			kind, size, source, copied = "COPY", 0, fmt.Sprintf("/bucket/k%d", from), 1000+from
		case 1:
			kind = "PUT"
		case 2:
			kind, size = "LIST", 0
		}
		at := fmt.Sprintf("2026-01-01T00:00:%02d.%03dZ", i/1000, i%1000)
		fmt.Fprintf(&text, "0\t%s\tc\t1\t%d\tk%d\t\t%s\t%s\t0\t\t\t%s\t%d\n", kind, size, k, at, at, source, copied)
	}
	whole := named(t, text.String())
	sources := map[string]int{} // of copies, by their names
	eachCopy(t, whole, func(source string, _ *trace.Operation) { sources[source]++ })
	for _, parts := range []int{1, 2, 7} {
		outs, texts := make([]io.Writer, parts), make([]bytes.Buffer, parts)
		for i := range outs {
			outs[i] = &texts[i]
		}
		if _, err := trace.Divide(t.Context(), whole, outs); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for i := range texts {
			p := tracetest.Open(t, texts[i].Bytes())
			eachCopy(t, p, func(source string, o *trace.Operation) {
				name, size, foreign := strings.Cut(source, "~")
				got[name]++
				if !foreign {
					return
				}
				if at, err := p.Size(uint64(o.Source)); err != nil || at != o.Size || size != fmt.Sprint(at) {
					t.Errorf("%d parts: %s of %d bytes is the source of a copy of %d (%v)", parts, source, at, o.Size, err)
				}
			})
		}
		if !maps.Equal(got, sources) {
			t.Errorf("%d parts: sources of copies are %v, want %v", parts, got, sources)
		}
	}
}

// eachCopy calls do for the copies of a trace, with the names of what they copy.
func eachCopy(t *testing.T, p *trace.Player, do func(source string, o *trace.Operation)) {
	t.Helper()
	for n := range uint64(p.Operations) {
		o, err := p.Operation(n)
		if err != nil {
			t.Fatal(err)
		}
		if o.Source < 0 {
			continue
		}
		name, err := p.Name(uint64(o.Source))
		if err != nil {
			t.Fatal(err)
		}
		do(name, o)
	}
}
