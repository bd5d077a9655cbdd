package report

import (
	"fmt"
	"io"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// s3bench writes the parameters, where they are known, which tests ran, and a result block for each of them.
func s3bench(w io.Writer, r *ToolRun) error {
	var results strings.Builder
	var names []string
	var params *ToolPhase // of the first test
	for _, e := range r.operations() {
		name := s3benchName(r, e)
		if name == "" {
			continue
		}
		names = append(names, name)
		s3benchResult(&results, name, e)
		if ph := r.phase(e.Phase); params == nil {
			params = &ph
		}
	}
	var b strings.Builder
	if r.Plan != nil && params != nil {
		s3benchParams(&b, r.Plan, params)
	}
	for _, name := range names {
		fmt.Fprintf(&b, "Running %s test...\n", name)
	}
	_, err := io.WriteString(w, b.String()+results.String())
	return err
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
func s3benchParams(b *strings.Builder, plan *ToolPlan, ph *ToolPhase) {
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
	b.WriteString("verbose:       false\n\n\n")
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
func s3benchResult(b *strings.Builder, name string, e *aggregate.Entire) {
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
	b.WriteString("\n\n")
}
