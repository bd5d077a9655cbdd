package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// Times in the trace: far enough apart to be told apart after they were converted to another clock and back.
const (
	TraceStep    = 100 * time.Millisecond
	TracePerStep = 100
)

// Player brings random operations on some objects into the compact form: of these kinds, or of all.
func Player(t *testing.T, operations, objects int, kinds ...string) *trace.Player {
	t.Helper()
	if kinds == nil {
		kinds = []string{"GET", "GET", "PUT", "COPY", "HEAD", "DELETE"}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var text bytes.Buffer
	for i := range operations {
		at := i / TracePerStep * int(TraceStep/time.Millisecond)
		fmt.Fprintf(&text, "%d REST.%s.OBJECT k%d 100\n", at, kinds[rnd.IntN(len(kinds))], rnd.IntN(objects))
	}
	return tracetest.Player(t, text.Bytes(), trace.NoNames)
}

// Replay is a plan that replays a trace, and its parts for the clients.
func Replay(t *testing.T, host string, p *trace.Player, clients int) (*bench.Plan, coordinator.Trace) {
	t.Helper()
	w := &replay.Replay{Trace: "monday", Summary: p.Summary, Speed: 1, Missing: replay.MissingCreate, Keys: replay.KeysHash}
	ph, err := bench.NewPhase(replay.Info.Name, w)
	if err != nil {
		t.Fatal(err)
	}
	ph.Timed, ph.Concurrency, ph.Ops = true, 16, uint64(p.Operations)
	plan := harness.Plan(t, "put", host, 0)
	plan.Phases = []bench.Phase{ph}
	texts, outs := make([]bytes.Buffer, clients), make([]io.Writer, clients)
	for i := range outs {
		outs[i] = &texts[i]
	}
	summaries, err := trace.Divide(t.Context(), p, outs)
	if err != nil {
		t.Fatal(err)
	}
	divided := coordinator.Trace{Name: "monday"}
	for i, s := range summaries {
		sum := sha256.Sum256(texts[i].Bytes())
		divided.Parts = append(divided.Parts, coordinator.TracePart{
			File: bytes.NewReader(texts[i].Bytes()), Bytes: int64(texts[i].Len()), SHA256: hex.EncodeToString(sum[:]), Summary: s,
		})
	}
	return plan, divided
}
