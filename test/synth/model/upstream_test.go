package model

import (
	"bytes"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// A recording as MinIO warp makes it gives back what was put in as well, in the order of starts.
func TestUpstreamGivesBackWhatWasPutIn(t *testing.T) {
	testkit.SkipSerial(t)
	for name, r := range map[string]Run{"mixed": Typical(300_000, 2500), "few": Typical(70, 10), "none": Typical(0, 0)} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			truth, err := r.Upstream(&b)
			if err != nil {
				t.Fatal(err)
			}
			rd, err := inMemory(b.Bytes()).Reader()
			if err != nil {
				t.Fatal(err)
			}
			defer rd.Close()
			requests, last := make(map[op.Kind]int64), time.Time{}
			for rd.Scan() {
				requests[rd.Op().Kind]++
				if rd.Op().Start.Before(last) {
					t.Fatalf("%v comes behind %v", rd.Op().Start, last)
				}
				last = rd.Op().Start
			}
			if rd.Err() != nil || len(rd.Warnings()) > 0 || rd.Header().CommandLine == "" {
				t.Errorf("error %v, warnings %q, header %+v", rd.Err(), rd.Warnings(), rd.Header())
			}
			for kind, k := range truth.Kinds {
				if requests[kind] != k.Requests {
					t.Errorf("%s: %d requests, want %d", kind, requests[kind], k.Requests)
				}
			}
			if name == "mixed" {
				for _, g := range analyzed(t, aggregate.Options{}, inMemory(b.Bytes())).Groups {
					sameCounts(t, g, truth.Kinds[g.Kind])
					samePercentiles(t, "latency", g.Latency, truth.Kinds[g.Kind], 0)
				}
			}
		})
	}
}
