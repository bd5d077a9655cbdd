package metrics

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// victoria is a VictoriaMetrics, which takes OTLP, remote write and InfluxDB's protocol.
type victoria struct{ url string }

// startVictoria starts VICTORIA, a binary.
func startVictoria(t *testing.T) *victoria {
	t.Helper()
	binary := os.Getenv("VICTORIA")
	if binary == "" {
		t.Skip("VICTORIA names no binary: use run.sh")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	cmd := exec.Command(binary, "-httpListenAddr="+address, "-storageDataPath="+t.TempDir(), "-search.latencyOffset=0s", "-selfScrapeInterval=0")
	log := &lines{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	v := &victoria{"http://" + address}
	eventually(t, "answer of VictoriaMetrics", func() bool {
		res, err := http.Get(v.url + "/health")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return v
}

// get returns what VictoriaMetrics answers.
func (v *victoria) get(t *testing.T, path string) []byte {
	t.Helper()
	res, err := http.Get(v.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s: %s: %s, %v", path, res.Status, text, err)
	}
	return text
}

// number returns the only value of a query, or -1. It asks for a little later: times of queries are rounded down.
func (v *victoria) number(t *testing.T, query string) float64 {
	t.Helper()
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.Unmarshal(v.get(t, fmt.Sprintf("/api/v1/query?query=%s&time=%d", url.QueryEscape(query), time.Now().Add(10*time.Second).Unix())), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Data.Result) != 1 {
		return -1
	}
	n, err := strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestVictoriaMetrics: a store that others wrote has the totals of the report, by each of the three protocols.
func TestVictoriaMetrics(t *testing.T) {
	v := startVictoria(t)
	rep := finish(t, "mixed", "--objects=50", "--obj.size=4KiB", "--concurrent=4", "--ops=2000",
		"--otlp="+v.url+"/opentelemetry/v1/metrics", "--remote-write="+v.url+"/api/v1/write", "--influxdb="+withLogin(v.url, "TOKEN")+"/b/o").report(t)
	v.get(t, "/internal/force_flush")
	if len(rep.Operations) < 4 {
		t.Fatalf("%d kinds of operations", len(rep.Operations))
	}
	for _, o := range rep.Operations {
		influxStage := ""
		if o.Phase == "prepare" {
			influxStage = "prepare"
		}
		for protocol, query := range map[string]string{
			"remote write": fmt.Sprintf(`sum(warp_requests_total{job="warp",op=%q,stage=%q})`, o.Op, o.stage()),
			"OTLP":         fmt.Sprintf(`sum(warp_requests_total{job="",op=%q,stage=%q})`, o.Op, o.stage()),
			"InfluxDB":     fmt.Sprintf(`sum(warp_requests{endpoint="",op=%q,stage=%q})`, o.Op, influxStage),
		} {
			if n := v.number(t, query); n != float64(o.Requests) {
				t.Errorf("%s: %s: %v requests, the report has %d", protocol, query, n, o.Requests)
			}
		}
		if n := v.number(t, fmt.Sprintf(`sum(warp_response_seconds_count{job="",op=%q,stage=%q})`, o.Op, o.stage())); n != float64(o.Requests-o.Errors) {
			t.Errorf("OTLP: %s of %s: %v response times, the report has %d", o.Op, o.stage(), n, o.Requests-o.Errors)
		}
	}
}
