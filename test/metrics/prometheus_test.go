package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// eventually waits for an event.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !happened(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s", what)
		}
	}
}

// monitoring is a Prometheus: a database, a scraper and a query engine.
type monitoring struct {
	db     *tsdb.DB
	engine *promql.Engine
}

// scrapeConfig is that of docs/reference/metrics.md, more often.
const scrapeConfig = `
scrape_configs:
  - job_name: warp
    scrape_interval: 500ms
    scrape_timeout: 500ms
    scrape_native_histograms: true
    always_scrape_classic_histograms: true
`

// watch has Prometheus scrape a run.
func watch(t *testing.T, r *run) *monitoring {
	t.Helper()
	db, err := tsdb.Open(t.TempDir(), promslog.NewNopLogger(), prometheus.NewRegistry(), tsdb.DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	manager, err := scrape.NewManager(&scrape.Options{DiscoveryReloadInterval: model.Duration(50 * time.Millisecond)}, nil, nil, db, nil, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(scrapeConfig, promslog.NewNopLogger())
	if err == nil {
		err = manager.ApplyConfig(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	targets := make(chan map[string][]*targetgroup.Group)
	go func() { _ = manager.Run(targets) }()
	t.Cleanup(manager.Stop)
	targets <- map[string][]*targetgroup.Group{"warp": {{Source: "test", Targets: []model.LabelSet{{model.AddressLabel: model.LabelValue(r.url.Host), "instance": "client-1"}}}}}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e7, Timeout: time.Minute, Reg: prometheus.NewRegistry(), LookbackDelta: 5 * time.Minute, EnableAtModifier: true, EnableNegativeOffset: true})
	t.Cleanup(func() { _ = engine.Close() })
	return &monitoring{db, engine}
}

// query evaluates an expression at a time.
func (m *monitoring) query(t *testing.T, expr string, at time.Time) promql.Vector {
	t.Helper()
	q, err := m.engine.NewInstantQuery(context.Background(), storage.Queryable(m.db), nil, expr, at)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	defer q.Close()
	res := q.Exec(context.Background())
	v, err := res.Vector()
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return slices.Clone(v)
}

// number is the value of an expression with one series.
func (m *monitoring) number(t *testing.T, expr string) float64 {
	t.Helper()
	v := m.query(t, expr, time.Now())
	if len(v) != 1 {
		t.Errorf("%s has %d series", expr, len(v))
		return math.NaN()
	}
	return v[0].F
}

// resolution is how much wider a bucket of native histograms is than the one before.
var resolution = math.Exp2(1.0 / 8)

// around returns what a percentile may be: from the value below the nearest rank to the one above, within the resolution, to which a bucket of
// warp's own adds 0.2 %.
func around(values []float64, p float64) (low, high float64) {
	rank := int(math.Ceil(p*float64(len(values)))) - 1
	return values[max(0, rank-1)] / resolution / 1.002, values[min(len(values)-1, rank+1)] * resolution * 1.002
}

// TestScrapes: Prometheus has the totals of the report, to the last operation, and percentiles within the resolution of its histograms;
// every expression of the dashboard and of the alerts finds what it is about.
func TestScrapes(t *testing.T) {
	began := time.Now()
	r := start(t, "mixed", "--objects=50", "--obj.size=log2(1KiB,64KiB)", "--concurrent=4", "--ops=6000", "--max-errors=100%")
	m := watch(t, r)
	eventually(t, "report", func() bool { return strings.Contains(r.stderr.String(), " more. Interrupt") })
	rep := r.report(t)
	records := read(t, r.recording())
	total := int64(0)
	for _, o := range rep.Operations {
		if o.Phase != "prepare" {
			total += o.Requests
		}
	}
	eventually(t, "last scrape", func() bool {
		v := m.query(t, `sum(warp_requests_total{stage="benchmark"})`, time.Now())
		return len(v) == 1 && v[0].F == float64(total) && len(m.query(t, "warp_phase_info", time.Now())) == 0
	})
	for _, o := range rep.Operations {
		of := fmt.Sprintf(`{op=%q,stage=%q,instance="client-1"}`, o.Op, o.stage())
		var known *recorded
		for key, k := range records {
			if phase, kind, _ := strings.Cut(key, " "); kind == o.Op && (phase == "prepare") == (o.Phase == "prepare") {
				known = k
			}
		}
		if n := m.number(t, "sum(warp_requests_total"+of+")"); n != float64(o.Requests) {
			t.Errorf("%s: %v requests, the report has %d", of, n, o.Requests)
		}
		for _, name := range []string{"histogram_count(warp_response_seconds" + of + ")", "sum(warp_response_seconds_count" + of + ")"} {
			if n := m.number(t, name); n != float64(o.Requests-o.Errors) {
				t.Errorf("%s: %v, the report has %d", name, n, o.Requests-o.Errors)
			}
		}
		if known.bytes > 0 {
			if n := m.number(t, "sum(warp_bytes_total"+of+")"); n != float64(known.bytes) {
				t.Errorf("%s: %v bytes, the recording has %d", of, n, known.bytes)
			}
		}
		for _, p := range []float64{0.5, 0.9, 0.99} {
			low, high := around(known.latency, p)
			if got := m.number(t, fmt.Sprintf("histogram_quantile(%v, warp_response_seconds%s)", p, of)); got < low || got > high {
				t.Errorf("%s: the percentile %v is %v, the recording has %v to %v", of, 100*p, got, low, high)
			}
		}
	}
	checkDashboard(t, m)
	checkPicture(t, m, began, time.Now())
	checkAlerts(t, m)
}

// selectors are the metrics of an expression.
func selectors(t *testing.T, expr string) (list []string) {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Errorf("%s: %v", expr, err)
		return nil
	}
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			list = append(list, s.Name)
		}
		return nil
	})
	return list
}

// exists reports whether a metric was ever scraped.
func (m *monitoring) exists(t *testing.T, name string) bool {
	t.Helper()
	q, err := m.db.Querier(0, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	return q.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchEqual, labels.MetricName, name)).Next()
}

// dashboard returns the expressions of the dashboard.
func dashboard(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/metrics/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"expr": ("(?:[^"\\]|\\.)*")`).FindAllSubmatch(text, -1) {
		var expr string
		if err := json.Unmarshal(m[1], &expr); err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*", "$op", ".*").Replace(expr))
	}
	return list
}

func checkDashboard(t *testing.T, m *monitoring) {
	t.Helper()
	list := dashboard(t)
	if len(list) < 10 {
		t.Errorf("the dashboard has %d expressions", len(list))
	}
	for _, expr := range list {
		for _, name := range selectors(t, expr) {
			if name == "warp_errors_total" { // there were none
				continue
			}
			if !m.exists(t, name) {
				t.Errorf("%s: there is no %s", expr, name)
			}
		}
		if strings.Contains(expr, "warp_errors_total") || strings.Contains(expr, "offset") {
			continue
		}
		if v := m.query(t, expr, time.Now()); len(v) == 0 {
			t.Errorf("%s finds nothing", expr)
		}
	}
}

func checkAlerts(t *testing.T, m *monitoring) {
	t.Helper()
	groups, errs := rulefmt.ParseFile("../../deploy/metrics/alerts.yaml", false, model.UTF8Validation, parser.NewParser(parser.Options{}), promslog.NewNopLogger())
	if len(errs) > 0 || len(groups.Groups) != 1 || len(groups.Groups[0].Rules) < 3 {
		t.Fatalf("%v, %v", groups, errs)
	}
	for _, rule := range groups.Groups[0].Rules {
		for _, name := range selectors(t, rule.Expr) {
			if name != "warp_errors_total" && !m.exists(t, name) {
				t.Errorf("%s: there is no %s", rule.Alert, name)
			}
		}
		m.query(t, rule.Expr, time.Now())
	}
}
