// Hostile writes an HTML report where everything that comes from a store tries to become a script.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/view/page"
)

const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x07]]>--><b>"

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

func write(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s := &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Second, Groups: []*aggregate.Group{group()}}
	d := report.Document{
		Command:  hostile,
		Engine:   hostile,
		Warnings: []string{hostile},
		Notes:    []string{hostile},
		Marks:    []report.Mark{{At: began.Add(3 * time.Second), Text: hostile}},
		Snapshot: s,
	}
	return page.Write(f, page.Run{Document: d, Remarks: []string{hostile}})
}

var began = time.Date(2026, 11, 21, 0, 55, 2, 0, time.UTC)

// group is ten seconds of downloads from two hosts, with many failures.
func group() *aggregate.Group {
	g := &aggregate.Group{
		Kind: op.Get, Phase: hostile, Requests: 2000, Errors: 30, Considered: 1970, First: began, Last: began.Add(10 * time.Second), Threads: 4,
		Clients: []string{hostile}, Hosts: []string{hostile, "b" + hostile},
		Window:  aggregate.Window{Start: began, End: began.Add(10 * time.Second)},
		OpSizes: aggregate.OpSizes{MinObjects: 1, MaxObjects: 1, MinSize: 4096, MaxSize: 4096}, ErrorsByClass: map[string]int64{hostile: 30},
		FirstErrors: []aggregate.ErrorSample{{Time: began, Host: hostile, Key: hostile, Err: hostile}},
		ByHost:      map[string]*aggregate.Part{},
	}
	g.Bytes, g.Objects, g.Ops, g.Latency = 1970*4096, 1970, 1970, hist.New(hist.Fine)
	for i := range 10 {
		s := aggregate.Segment{
			Bytes:         197 * 4096,
			Objects:       197,
			Ended:         197,
			Errors:        3,
			ErrorsByClass: map[string]int64{hostile: 3},
			Latency:       hist.New(hist.Coarse),
		}
		for k := range 197 {
			v := int64(1+k*k%37) * int64(time.Millisecond)
			s.Latency.Record(v)
			g.Latency.Record(v + int64(i))
		}
		g.Segments = append(g.Segments, s)
	}
	for _, name := range g.Hosts {
		g.ByHost[name] = &aggregate.Part{
			Bytes:         4096,
			Objects:       1,
			Ops:           1,
			Total:         1000,
			Failed:        15,
			ErrorsByClass: map[string]int64{hostile: 15},
			Latency:       g.Latency,
			Series:        g.Segments,
		}
	}
	return g
}
