package observe

import (
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Indices into metricNames.
const (
	metricLatencies = iota
	metricGoroutines
	metricHeap
	metricGC
	metricTotal
)

var metricNames = [...]string{
	metricLatencies:  "/sched/latencies:seconds",
	metricGoroutines: "/sched/goroutines:goroutines",
	metricHeap:       "/memory/classes/heap/objects:bytes",
	metricGC:         "/cpu/classes/gc/total:cpu-seconds",
	metricTotal:      "/cpu/classes/total:cpu-seconds",
}

// runtimeSource reads Go's runtime metrics. None of them stops the process.
type runtimeSource struct {
	metrics []metrics.Sample
	pauses  debug.GCStats // its slices are reused

	cycles       int64
	pause        time.Duration
	gcCPU, total float64
	latencies    latencies
	begun        bool
}

func (r *runtimeSource) read(s *Sample) {
	if r.metrics == nil {
		r.metrics = make([]metrics.Sample, len(metricNames))
		for i, name := range metricNames {
			r.metrics[i].Name = name
		}
	}
	metrics.Read(r.metrics)
	gc := r.gc()
	var late *Lateness
	if r.metrics[metricLatencies].Value.Kind() == metrics.KindFloat64Histogram {
		late = r.latencies.since(r.metrics[metricLatencies].Value.Float64Histogram())
	}
	if !r.begun {
		r.begun = true
		return
	}
	s.GC, s.Lateness = gc, late
	s.Memory = &Memory{HeapBytes: int64(r.uint(metricHeap))}
	s.Goroutines = int64(r.uint(metricGoroutines))
}

// gc returns what the collector did since the previous call. The runtime's metrics have pauses only as a histogram with
// steps of 25%; the older interface has exact ones.
func (r *runtimeSource) gc() *GC {
	debug.ReadGCStats(&r.pauses)
	gcCPU, total := r.float(metricGC), r.float(metricTotal)
	gc := &GC{
		Cycles:      r.pauses.NumGC - r.cycles,
		PauseMillis: millis(r.pauses.PauseTotal - r.pause),
		CPUPercent:  percent(max(0, gcCPU-r.gcCPU), total-r.total),
	}
	for i, pause := range r.pauses.Pause { // the newest first
		if int64(i) == gc.Cycles {
			break
		}
		gc.MaxPauseMillis = max(gc.MaxPauseMillis, millis(pause))
	}
	r.cycles, r.pause, r.gcCPU, r.total = r.pauses.NumGC, r.pauses.PauseTotal, gcCPU, total
	return gc
}

func (r *runtimeSource) uint(i int) uint64 {
	if r.metrics[i].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return r.metrics[i].Value.Uint64()
}

func (r *runtimeSource) float(i int) float64 {
	if r.metrics[i].Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return r.metrics[i].Value.Float64()
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// memorySource adds the resident memory of the process.
type memorySource struct{ files *files }

func (m *memorySource) read(s *Sample) {
	if s.Memory == nil {
		return
	}
	b, err := m.files.read("/proc/self/statm")
	if err != nil {
		return
	}
	s.Memory.ResidentBytes = parseStatm(b, os.Getpagesize())
}

// parseStatm parses /proc/self/statm, in pages: the resident bytes; 0 if unknown.
func parseStatm(b []byte, pageBytes int) int64 {
	field := bytes.Fields(b)
	if len(field) < 2 {
		return 0
	}
	pages, ok := parseNumber(field[1])
	if !ok || pages > uint64(math.MaxInt64/pageBytes) {
		return 0
	}
	return int64(pages) * int64(pageBytes)
}
