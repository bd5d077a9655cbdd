package model

import (
	"time"

	"warp/pkg/op"
)

// Typical is a run as they are made: four kinds mixed, 64 threads, four hosts, a few errors.
func Typical(ops, objects int) Run {
	sizes := []int64{10 << 20}
	return Run{
		Ops: ops, Clients: 1, Threads: 64, Hosts: 4, Objects: objects, Gap: 20 * time.Microsecond,
		Kinds: []Kind{
			{
				Kind: op.Get, Weight: 45, Latency: LogNormal(4*time.Millisecond, 0.6), Sizes: sizes,
				ErrorEvery: 10_000, Errors: []string{"503 SlowDown: reduce your request rate", "timeout: no answer within 10s"},
			},
			{Kind: op.Stat, Weight: 30, Latency: LogNormal(time.Millisecond, 0.4)},
			{Kind: op.Put, Weight: 15, Latency: Pareto(6*time.Millisecond, 4), Sizes: sizes},
			{Kind: op.Delete, Weight: 10, Latency: Uniform(time.Millisecond, 5*time.Millisecond)},
		},
	}
}
