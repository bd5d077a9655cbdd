package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"warp/pkg/aggregate/live"
)

// Collector is a prometheus.Collector of the figures of a moment.
type Collector struct{ read func() Figures }

// NewCollector returns a collector of what a function returns.
func NewCollector(read func() Figures) *Collector { return &Collector{read} }

// byKind are the labels of all figures of a kind of operations.
var byKind = []string{"op", "stage"}

// The metrics, as in docs/reference/metrics.md.
var (
	requests = prometheus.NewDesc("warp_requests_total", "Operations that ended, by the HTTP status of their response.",
		append(byKind[:2:2], "host", "status"), nil)
	failures    = prometheus.NewDesc("warp_errors_total", "Operations that failed, by class of error.", append(byKind[:2:2], "class"), nil)
	transferred = prometheus.NewDesc("warp_bytes_total", "Bytes of objects that successful operations transferred.",
		append(byKind[:2:2], "host"), nil)
	objects = prometheus.NewDesc("warp_objects_total", "Objects that successful operations touched.", byKind, nil)
	late    = prometheus.NewDesc("warp_late_total", "Operations of an open loop that started more than 1 ms after they were due.",
		byKind, nil)
	resent = prometheus.NewDesc("warp_resent_total",
		"Operations with a request that was sent again, since the server had closed its connection.", byKind, nil)
	busy = prometheus.NewDesc("warp_busy_seconds_total", "Time that operations took together; its rate is how many were in flight.",
		byKind, nil)
	response = prometheus.NewDesc("warp_response_seconds",
		"Response times of successful operations, from when they were due or started.", byKind, nil)
	service   = prometheus.NewDesc("warp_service_seconds", "Service times of successful operations, from when they started.", byKind, nil)
	firstByte = prometheus.NewDesc("warp_ttfb_seconds", "Times to first byte of successful operations.", byKind, nil)

	ownPart = prometheus.NewDesc("warp_own_seconds",
		"The client's own part of response times of successful operations, where it is known: how late they were sent by its fault, and how "+
			"long their responses lay unread.", byKind, nil)
	ownLate = prometheus.NewDesc("warp_own_late_seconds", "How late the client sent operations of an open loop by its own fault.", byKind, nil)

	inFlight   = prometheus.NewDesc("warp_inflight", "Operations in flight, on average over the last second.", nil, nil)
	phase      = prometheus.NewDesc("warp_phase_info", "The phase that is being performed.", []string{"phase"}, nil)
	phaseStart = prometheus.NewDesc("warp_phase_start_timestamp_seconds", "When that phase began, in Unix time.", nil, nil)
	build      = prometheus.NewDesc("warp_build_info", "The version of warp, what it runs, and the kind of store.",
		[]string{"version", "command", "store"}, nil)

	clientCPU = prometheus.NewDesc("warp_client_cpu_ratio",
		"Share of the processors of the client that warp used over the last second.", nil, nil)
	clientLateness = prometheus.NewDesc("warp_client_lateness_p99_seconds",
		"99th percentile of how late goroutines of the client ran over the last second.", nil, nil)
	clientPauses = prometheus.NewDesc("warp_client_gc_pause_seconds", "Pauses of the garbage collector in the last second.", nil, nil)
	clientHeap   = prometheus.NewDesc("warp_client_heap_bytes", "Heap of the client.", nil, nil)
	clientResent = prometheus.NewDesc("warp_client_retransmitted_segments",
		"TCP segments that the machine of the client sent again in the last second.", nil, nil)
	clientLimited = prometheus.NewDesc("warp_client_limited", "1 if the client was the bottleneck over the last seconds.", nil, nil)
)

// Describe sends nothing: which metrics there are depends on the run.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of the moment.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	f := c.read()
	hosts := make(hostNames)
	for i := range f.Counts {
		collectKind(to, &f.Counts[i], hosts)
	}
	gauge(to, inFlight, f.InFlight)
	gauge(to, build, 1, f.Version, f.Command, f.Store)
	if f.Phase != "" {
		gauge(to, phase, 1, f.Phase)
		gauge(to, phaseStart, float64(f.PhaseStart.UnixNano())/1e9)
	}
	collectClient(to, &f)
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func counter(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

// collectKind sends what there is about a kind of operations.
func collectKind(to chan<- prometheus.Metric, c *live.Count, hosts hostNames) {
	kind := []string{string(c.Kind), stageOf(c)}
	type response struct{ host, status string }
	ended, moved := make(map[response]int64), make(map[string]int64)
	for _, r := range c.Responses {
		host := hosts.name(r.Host)
		ended[response{host, statusOf(r.Status)}] += r.Ops
		moved[host] += r.Bytes
	}
	for r, n := range ended {
		counter(to, requests, float64(n), append(kind[:2:2], r.host, r.status)...)
	}
	if c.Bytes > 0 {
		for host, n := range moved {
			counter(to, transferred, float64(n), append(kind[:2:2], host)...)
		}
	}
	for class, n := range c.ErrorsByClass {
		counter(to, failures, float64(n), append(kind[:2:2], class)...)
	}
	counter(to, objects, float64(c.Objects), kind...)
	counter(to, busy, c.Busy.Seconds(), kind...)
	counter(to, late, float64(c.Late), kind...)
	counter(to, resent, float64(c.Resent), kind...)
	collectTimes(to, c, kind)
}

// collectTimes sends histograms. In a closed loop an operation is due when it starts.
func collectTimes(to chan<- prometheus.Metric, c *live.Count, kind []string) {
	served := c.Service
	if served == nil {
		served = c.Latency
	}
	to <- newHistogram(response, c.Latency, bounds, kind)
	to <- newHistogram(service, served, bounds, kind)
	if c.TTFB.Count() > 0 {
		to <- newHistogram(firstByte, c.TTFB, bounds, kind)
	}
	if c.Own.All.Count() > 0 {
		to <- newHistogram(ownPart, c.Own.All, ownBounds, kind)
	}
	if c.Own.LatenessKnown() {
		to <- newHistogram(ownLate, c.Own.Late, ownBounds, kind)
	}
}

// statusOf returns the label of a status.
func statusOf(status int) string {
	if status == 0 {
		return "none"
	}
	return strconv.Itoa(status)
}

// collectClient sends how the client itself does.
func collectClient(to chan<- prometheus.Metric, f *Figures) {
	if len(f.Samples) == 0 {
		return
	}
	s := &f.Samples[len(f.Samples)-1]
	if s.CPU != nil {
		gauge(to, clientCPU, s.CPU.Percent/100)
	}
	if s.Lateness != nil {
		gauge(to, clientLateness, s.Lateness.P99Millis/1e3)
	}
	if s.GC != nil {
		gauge(to, clientPauses, s.GC.PauseMillis/1e3)
	}
	if s.Memory != nil {
		gauge(to, clientHeap, float64(s.Memory.HeapBytes))
	}
	if s.TCP != nil {
		gauge(to, clientResent, float64(s.TCP.RetransmittedSegments))
	}
	limited := 0.0
	if f.Limited {
		limited = 1
	}
	gauge(to, clientLimited, limited)
}
