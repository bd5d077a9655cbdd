package coordinator

import (
	"testing"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
)

// A sweep of 400 kinds by 1,500 threads fits into the message for bounds; what does not is refused before the run.
func TestBoundsFitIntoTheirMessage(t *testing.T) {
	if err := checkBoundsBytes(aggregate.BoundsBytes(400, 1500)); err != nil {
		t.Error(err)
	}
	if err := checkBoundsBytes(int64(protocol.Wire.Documents[protocol.MsgBounds]) + 1); err == nil {
		t.Error("bounds that are longer than their message are accepted")
	}
}
