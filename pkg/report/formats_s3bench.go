package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// s3bench writes the parameters, where they are known, which tests ran, and a result block for each of them.
func s3bench(w io.Writer, r *ToolRun) error {
	tests := slices.DeleteFunc(r.operations(), func(e *aggregate.Entire) bool { return s3benchName(r, e) == "" })
	b := bufio.NewWriter(w)
	if r.Plan != nil && len(tests) > 0 {
		ph := r.phase(tests[0].Phase)
		s3benchParams(b, r, &ph)
	}
	for _, e := range tests {
		fmt.Fprintf(b, "Running %s test...\n", s3benchName(r, e))
		s3benchRequests(b, r, e)
	}
	for _, e := range tests {
		s3benchResult(b, s3benchName(r, e), e)
	}
	return b.Flush()
}

// s3benchRequests writes a line for each request of a test, with the throughput until then. The tool's own words are not known.
func s3benchRequests(b *bufio.Writer, r *ToolRun, e *aggregate.Entire) {
	if !r.Verbose {
		return
	}
	var sum int64
	list := r.requestsOf(e)
	for i, q := range list {
		what := fmt.Sprintf("%d bytes", q.bytes)
		if q.err != "" {
			what = units.Line(q.err)
		} else {
			sum += q.bytes
		}
		fmt.Fprintf(b, "%s %d/%d: %s: %s in %.4f s, average %.2f MB/s\n", s3benchName(r, e), i+1, len(list), units.Line(q.key), what,
			q.service.Seconds(), units.Finite(float64(sum)/units.MiB/q.end.Sub(e.First).Seconds()))
	}
	if r.more > 0 {
		fmt.Fprintf(b, "%d requests of all tests are not printed: warp analyze --parquet has all of them\n", r.more)
	}
}

// s3benchName returns the tool's name for a kind of operation; empty if it has none.
func s3benchName(r *ToolRun, e *aggregate.Entire) string {
	switch {
	case whole(e.Kind) == op.Put:
		return "Write"
	case whole(e.Kind) != op.Get:
		return ""
	case r.phase(e.Phase).Ranges:
		return "Ranged-Read"
	}
	return "Read"
}

// s3benchParams writes the block of parameters, without those that are not known.
func s3benchParams(b *bufio.Writer, r *ToolRun, ph *ToolPhase) {
	plan := r.Plan
	fmt.Fprintf(b, "Test parameters\nendpoint(s):      %v\nbucket:           %s\nobjectNamePrefix: %s\n", plan.Hosts, plan.Bucket, ph.Prefix)
	if ph.Size > 0 {
		fmt.Fprintf(b, "objectSize:       %s\n", s3benchSize(float64(ph.Size)))
	}
	fmt.Fprintf(b, "numClients:       %d\n", ph.Threads)
	if ph.Objects > 0 {
		fmt.Fprintf(b, "numSamples:       %d\n", ph.Objects)
	}
	if ph.Ranges && ph.Requests > 0 {
		fmt.Fprintf(b, "totalRequests:    %d\n", ph.Requests)
	}
	if ph.Batch > 0 {
		fmt.Fprintf(b, "batchSize:       %d\n", ph.Batch)
	}
	if ph.PartSize > 0 {
		fmt.Fprintf(b, "multipart:       enabled\npartSize:        %s\n", s3benchSize(float64(ph.PartSize)))
	}
	if ph.Size > 0 && ph.Objects > 0 {
		fmt.Fprintf(b, "Total size of data set : %s\n", s3benchSize(float64(ph.Size)*float64(ph.Objects)))
	}
	fmt.Fprintf(b, "verbose:       %t\n\n\n", r.Verbose)
}

// s3benchSize returns bytes in the tool's units, powers of 1024.
func s3benchSize(bytes float64) string {
	size, unit := bytes/units.MiB, "MB"
	for _, larger := range []string{"GB", "TB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, larger
	}
	return fmt.Sprintf("%.4f %s", size, unit)
}

// s3benchResult writes a result block.
func s3benchResult(b *bufio.Writer, name string, e *aggregate.Entire) {
	d, mb := e.Duration().Seconds(), float64(e.Total.Bytes)/units.MiB
	fmt.Fprintf(b, "Results Summary for %s Operation(s)\nTotal Transferred: %.3f MB\nTotal Throughput:  %.2f MB/s\nOps/sec:  %.2f ops/s\n"+
		"Total Duration:    %.3f s\nNumber of Errors:  %d\n%s\n",
		name, mb, units.Finite(mb/d), units.Finite(float64(e.Total.Ops)/d), d, e.Total.Errors, strings.Repeat("-", 36))
	line := func(what string, ns float64) { fmt.Fprintf(b, "%s times %-11s%.4f s\n", name, what, ns/1e9) }
	if h := e.Total.Service; h.Count() > 0 {
		line("Max:", float64(h.Max()))
		for _, p := range []float64{99, 90, 75, 50, 25} {
			line(fmt.Sprintf("%gth %%ile:", p), rankOf(h, p))
		}
		line("Min:", float64(h.Min()))
	}
	fmt.Fprint(b, "\n\n")
}
