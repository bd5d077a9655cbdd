package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes is how many scrapes are answered at a time.
const maxScrapes = 4

// Registry returns a registry of the collector, and of what the process itself uses.
func Registry(c *Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(c, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Handler answers scrapes. Native histograms need the protocol buffers that Prometheus asks for when it takes them.
func Handler(c *Collector) http.Handler {
	return promhttp.HandlerFor(Registry(c), promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
}
