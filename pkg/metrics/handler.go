package metrics

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes is the maximum number of scrapes at a time.
const maxScrapes = 4

// Registry returns a registry of the collector, and of what the process itself uses.
func Registry(c *Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(c, process{collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})})
	return r
}

// process is the figures of the process, without what the Go client library takes for that: process_network_* counts the traffic of all
// programs in the network namespace.
type process struct{ prometheus.Collector }

// Collect is that of a prometheus.Collector. Descriptions of figures that do not come are allowed.
func (p process) Collect(out chan<- prometheus.Metric) {
	all := make(chan prometheus.Metric)
	go func() {
		defer close(all)
		p.Collector.Collect(all)
	}()
	for m := range all {
		if !strings.Contains(m.Desc().String(), `fqName: "process_network_`) {
			out <- m
		}
	}
}

// Handler answers scrapes. Native histograms need the protocol buffers that Prometheus asks for when it takes them.
func Handler(c *Collector) http.Handler {
	return promhttp.HandlerFor(Registry(c), promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
}
