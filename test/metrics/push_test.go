package metrics

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage/remote"
	"github.com/prometheus/prometheus/tsdb"
)

// receiver is a Prometheus that takes what is sent to it.
type receiver struct {
	monitoring
	server *httptest.Server
	mu     sync.Mutex
	wrong  []string
	login  []string
}

// receive starts a Prometheus behind a handler.
func receive(t *testing.T, handler func(db *tsdb.DB) http.Handler) *receiver {
	t.Helper()
	db, err := tsdb.Open(t.TempDir(), promslog.NewNopLogger(), prometheus.NewRegistry(), tsdb.DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e7, Timeout: time.Minute, Reg: prometheus.NewRegistry(), LookbackDelta: 5 * time.Minute})
	t.Cleanup(func() { _ = engine.Close() })
	r := &receiver{monitoring: monitoring{db, engine}}
	inner := handler(db)
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, req)
		r.mu.Lock()
		r.login = append(r.login, req.Header.Get("Authorization"))
		if answer.Code/100 != 2 {
			r.wrong = append(r.wrong, fmt.Sprintf("%s: %d %s", req.URL, answer.Code, answer.Body))
		}
		r.mu.Unlock()
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(r.server.Close)
	return r
}

// withLogin puts a login into an address.
func withLogin(url, login string) string {
	return strings.Replace(url, "http://", "http://"+login+"@", 1)
}

// TestPushes: at the end of a run, an OTLP receiver, a receiver of remote write and one of InfluxDB's protocol have the totals of the report.
func TestPushes(t *testing.T) {
	otlp := receive(t, func(db *tsdb.DB) http.Handler {
		return remote.NewOTLPWriteHandler(nil, prometheus.NewRegistry(), db, func() config.Config { return config.DefaultConfig }, remote.OTLPOptions{LookbackDelta: 5 * time.Minute})
	})
	write := receive(t, func(db *tsdb.DB) http.Handler {
		return remote.NewWriteHandler(promslog.NewNopLogger(), prometheus.NewRegistry(), db, remoteapi.MessageTypes{remoteapi.WriteV1MessageType}, false, false)
	})
	var points strings.Builder
	influx := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Fprintf(&points, "%s %s\n%s", r.Header.Get("Authorization"), r.URL, text)
	}))
	defer influx.Close()
	r := finish(t, "get", "--objects=20", "--obj.size=4KiB", "--concurrent=4", "--ops=3000",
		"--otlp="+withLogin(otlp.server.URL, "user:pass"), "--remote-write="+withLogin(write.server.URL, "secret-token"), "--influxdb="+withLogin(influx.URL, "TOKEN")+"/b/o?zone=a%20b")
	rep := r.report(t)
	latency := read(t, r.recording())[" GET"].latency
	for name, r := range map[string]*receiver{"OTLP": otlp, "remote write": write} {
		if len(r.wrong) > 0 {
			t.Errorf("%s: %q", name, r.wrong)
		}
		for _, o := range rep.Operations {
			of := fmt.Sprintf(`{op=%q,stage=%q}`, o.Op, o.stage())
			if n := r.number(t, "sum(warp_requests_total"+of+")"); n != float64(o.Requests) {
				t.Errorf("%s: %s: %v requests, the report has %d", name, of, n, o.Requests)
			}
			if n := r.number(t, "histogram_count(warp_response_seconds"+of+")"); n != float64(o.Requests-o.Errors) {
				t.Errorf("%s: %s: %v response times, the report has %d", name, of, n, o.Requests-o.Errors)
			}
		}
		for _, p := range []float64{0.5, 0.99} {
			low, high := around(latency, p)
			if got := r.number(t, fmt.Sprintf(`histogram_quantile(%v, warp_response_seconds{op="GET"})`, p)); got < low || got > high {
				t.Errorf("%s: the percentile %v is %v, the recording has %v to %v", name, 100*p, got, low, high)
			}
		}
	}
	if n := write.number(t, `warp_response_seconds_bucket{op="GET",le="+Inf"}`); n != 3000 {
		t.Errorf("the classic histogram has %v", n)
	}
	if otlp.login[0] != "Basic dXNlcjpwYXNz" || write.login[0] != "Bearer secret-token" {
		t.Errorf("logins %q, %q", otlp.login, write.login)
	}
	for _, want := range []string{"Token TOKEN /api/v2/write?bucket=b&org=o&precision=ns\n", `warp,op=GET,warp_id=`, `,zone=a\ b requests=3000i,objects=3000i,bytes_total=12288000i,errors=0i,request_total_secs=`, "\nwarp_run_summary,endpoint=http://127.0.0.1:", ",op=PUT,stage=prepare,", ",request_avg_secs=", ",request_p99_secs="} {
		if !strings.Contains(points.String(), want) {
			t.Errorf("InfluxDB gets no %q: %s", want, points.String())
		}
	}
	recording, err := exec.Command(os.Getenv("WARP"), "analyze", "--json", "--analyze.v", r.recording()).Output()
	if err != nil || strings.Contains(string(recording), "secret-token") {
		t.Errorf("the recording holds a secret, or is not read: %v", err)
	}
}
