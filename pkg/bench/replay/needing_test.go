package replay

import (
	"testing"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/trace"
)

func TestNeeding(t *testing.T) {
	r := &Replay{}
	if n, of := r.Needing(s3.CopiedParts); n != 0 || of != 0 {
		t.Errorf("without a trace: %d of %d", n, of)
	}
	r.Summary = &trace.Summary{Operations: 12, Kinds: []trace.KindSummary{{Kind: op.Get, Operations: 9}, {Kind: op.CopyPart, Operations: 3}}}
	if n, of := r.Needing(s3.CopiedParts); n != 3 || of != 12 {
		t.Errorf("copies of parts: %d of %d, want 3 of 12", n, of)
	}
}
