package trace_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// sentBy is a recording of random operations of clients, in as many chunks as they take.
func sentBy(t *testing.T, operations, clients int) []byte {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	w, err := recording.NewWriter(&b, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Unix(1_700_000_000, 0)
	var list []op.Op
	for i := range operations {
		start := begin.Add(time.Duration(i) * time.Millisecond)
		kind := []op.Kind{op.Get, op.Put, op.Stat, op.Delete}[rnd.IntN(4)]
		o := op.Op{Kind: kind, Key: fmt.Sprint("k", rnd.IntN(9)), Bytes: 7, Client: "c", Thread: uint32(rnd.IntN(clients)), Start: start, End: start.Add(time.Duration(rnd.IntN(9000)) * time.Microsecond), Objects: 1}
		list = append(list, o)
	}
	if err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each client gets its own operations in their order, with the gaps between them, however the clients take turns.
func TestClientFile(t *testing.T) {
	const operations, clients = 3*trace.PerBlock + 5, 7
	f := tracetest.Player(t, sentBy(t, operations, clients), trace.NoNames)
	needs := uint32(0)
	b, err := trace.NewClientFile(f.File, func(*trace.Operation) trace.Needs { needs++; return trace.Needs{Object: needs} })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	var all []trace.Operation
	for k := range f.Blocks() {
		if all, err = f.Block(k, all); err != nil {
			t.Fatal(err)
		}
	}
	if b.Clients() != clients || f.Clients.Count != clients || f.Clients.Unknown != 0 {
		t.Fatalf("%d clients, %+v", b.Clients(), f.Clients)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	ended, last, open := make([]time.Duration, clients), make([]int64, clients), map[int]bool{}
	for c := range clients {
		open[c], last[c] = true, -1
	}
	seen := 0
	for len(open) > 0 {
		c := rnd.IntN(clients)
		o, err := b.Next(c)
		if err != nil {
			t.Fatal(err)
		}
		if o == nil {
			delete(open, c)
			continue
		}
		seen++
		want := all[o.Number]
		gap := max(0, want.At-ended[c])
		if o.Gap != gap || o.FromStart || o.Needs.Object != uint32(o.Number)+1 || int64(o.Number) <= last[c] {
			t.Fatalf("client %d, operation %d after %d: gap %v, want %v; need %d", c, o.Number, last[c], o.Gap, gap, o.Needs.Object)
		}
		ended[c], last[c] = want.At+want.Latency, int64(o.Number)
		want.At, want.Client = 0, 0
		if o.Operation != want {
			t.Fatalf("got %+v, want %+v", o.Operation, want)
		}
		b.Span = max(b.Span, ended[c])
	}
	if seen != operations {
		t.Errorf("%d operations, want %d", seen, operations)
	}
}

// Where the trace has no latency, a gap counts from the start. A trace without clients says so, also once it is in the compact form.
func TestClientFileWithoutLatency(t *testing.T) {
	text := "100,a,1,50,one,get,0\n103,b,1,50,two,get,0\n107,a,1,50,one,get,0\n"
	f := tracetest.As(t, "twitter", []byte(text), trace.NoNames)
	b, err := trace.NewClientFile(f.File, func(*trace.Operation) trace.Needs { return trace.Needs{} })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	first, err := b.Next(0)
	if err != nil || first.Gap != 0 || first.FromStart {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := b.Next(0)
	if err != nil || !second.FromStart || second.Gap < 6*time.Second || second.Gap > 8*time.Second {
		t.Fatalf("%+v, %v", second, err)
	}
	const cos = "0 REST.GET.OBJECT a 100\n5 REST.GET.OBJECT b 100\n"
	if f := tracetest.Player(t, []byte(cos), trace.NoNames); f.Clients.Unknown != 2 || f.Clients.Count != 1 {
		t.Errorf("%+v", f.Clients)
	}
}
