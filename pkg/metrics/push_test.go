package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
)

// TestReceivers: addresses, and errors about invalid ones, without what is secret in them.
func TestReceivers(t *testing.T) {
	for _, c := range []struct {
		form                Form
		address, url, login string
	}{
		{OTLP, "http://h:4318", "http://h:4318/v1/metrics", ""},
		{OTLP, "https://TOKEN@h/custom?x=1", "https://h/custom?x=1", "Bearer TOKEN"},
		{RemoteWrite, "http://u:p@h:9090/", "http://h:9090/api/v1/write", "Basic dTpw"},
		{RemoteWrite, "http://h/push", "http://h/push", ""},
		{InfluxDB, "http://TOKEN@h:8086/bucket/org?a=1&b=x", "http://h:8086/api/v2/write?bucket=bucket&org=org&precision=ns", "Token TOKEN"},
	} {
		r, err := NewReceiver(c.form, c.address)
		if err != nil || r.url != c.url || r.header.Get("Authorization") != c.login || strings.Contains(r.shown, "TOKEN") || strings.Contains(r.shown, "u:p") {
			t.Errorf("%s: %+v, %v", c.address, r, err)
		}
	}
	for form, list := range map[Form][]string{
		OTLP: {"", "h:4318", "ftp://h", "http://", "http://SECRET@ h"}, InfluxDB: {"http://SECRET@h", "http://SECRET@h/bucket", "http://SECRET@h/a/b/c", "http://SECRET@h/a/b?op=1", "http://SECRET@h/a/b?=SECRET"},
	} {
		for _, address := range list {
			if _, err := NewReceiver(form, address); err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
}

// FuzzReceivers: an address is refused, or gives a URL without its login and lines of InfluxDB's protocol that are whole, and no
// message shows what was secret.
func FuzzReceivers(f *testing.F) {
	const secret = "HIDDEN"
	for _, address := range []string{"http://h", "https://TOKEN@h:1/b/o?zone=a%20b&x=%0A", "http://u:p@[::1]:8086/b/o?=1", "http://h/b/o?a%5C=%5C", "//h", "http://a b", "ftp://h", "http://h:x"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		scheme, rest, ok := strings.Cut(address, "://")
		if !ok || strings.Contains(address, secret) {
			t.Skip()
		}
		address = scheme + "://" + secret + ":" + secret + "@" + rest
		for _, form := range []Form{OTLP, RemoteWrite, InfluxDB} {
			r, err := NewReceiver(form, address)
			if err != nil {
				if strings.Contains(err.Error(), secret) {
					t.Fatalf("%s of %q: %v", form, address, err)
				}
				continue
			}
			u, err := url.Parse(r.url)
			if err != nil || u.User != nil || u.Host == "" || strings.Contains(r.shown, secret) {
				t.Fatalf("%s of %q: %q, shown %q: %v", form, address, r.url, r.shown, err)
			}
			lines := string(lineProtocol(Figures{Counts: []live.Count{{Kind: "GET", Latency: hist.New(hist.Fine), TTFB: hist.New(hist.Fine)}}}, About{ID: "id"}, r.tags, time.Unix(1, 0), false))
			for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
				if !lineOfInfluxDB.MatchString(line) {
					t.Fatalf("%q of %q", line, address)
				}
			}
		}
	})
}

// lineOfInfluxDB is a measurement, tags whose names and values have comma, space and equals sign are escaped, fields and a time.
var lineOfInfluxDB = regexp.MustCompile(`^\w+(,([^,= \\]|\\[,= ])+=([^,= \\]|\\[,= ])+)* \S+ \d+$`)

// TestReceiverThatFails: it is told of once, and the last totals are sent to the others.
func TestReceiverThatFails(t *testing.T) {
	var mu sync.Mutex
	got := 0
	good := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if text, _ := io.ReadAll(r.Body); strings.Contains(string(text), "warp_requests_total") {
			got++
		}
	}))
	defer good.Close()
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no\nroom", http.StatusInsufficientStorage)
	}))
	defer bad.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	var receivers []*Receiver
	for _, address := range []string{good.URL, bad.URL, strings.Replace(gone.URL, "http://", "http://SECRET@", 1)} {
		r, err := NewReceiver(OTLP, address)
		if err != nil {
			t.Fatal(err)
		}
		receivers = append(receivers, r)
	}
	var said []string
	p := Push(func() Figures { return figures(2) }, About{ID: "run", Start: time.Now()}, time.Hour, receivers, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	})
	for _, r := range receivers[1:] { // as two intervals would
		_, _ = p.send(r, false), p.send(r, false)
	}
	p.Close()
	if got != 1 || len(said) != 2 || strings.Contains(strings.Join(said, ""), "SECRET") || !strings.Contains(strings.Join(said, ""), `507 Insufficient Storage: "no\nroom\n"`) {
		t.Errorf("%d messages, %q", got, said)
	}
}

// TestReceiverThatRedirects: no other server gets the token, and a token with a line break is refused.
func TestReceiverThatRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server got %v", r.Header) }))
	defer other.Close()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer receiver.Close()
	for form, path := range map[Form]string{OTLP: "", RemoteWrite: "", InfluxDB: "/bucket/org"} {
		r, err := NewReceiver(form, strings.Replace(receiver.URL, "http://", "http://TOKEN@", 1)+path)
		if err != nil {
			t.Fatal(err)
		}
		p := Push(func() Figures { return figures(2) }, About{ID: "run", Start: time.Now()}, time.Hour, nil, func(string) {})
		if err := p.send(r, false); err == nil || !strings.Contains(err.Error(), "redirected to another host") {
			t.Errorf("%s: %v", form, err)
		}
		p.Close()
	}
	if _, err := NewReceiver(InfluxDB, "http://SECRET%0d%0aX:y@localhost:8086/bucket/org"); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a line break in a token: %v", err)
	}
}

// TestPushInterval: totals are sent at intervals, while the run goes on.
func TestPushInterval(t *testing.T) {
	messages := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { messages <- struct{}{} }))
	defer server.Close()
	r, err := NewReceiver(RemoteWrite, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := Push(func() Figures { return figures(2) }, About{ID: "run", Start: time.Now()}, time.Millisecond, []*Receiver{r}, func(text string) { t.Error(text) })
	for range 3 {
		<-messages
	}
	over := make(chan struct{})
	go func() {
		p.Close()
		close(over)
	}()
	for { // the last ones
		select {
		case <-messages:
		case <-over:
			return
		}
	}
}

// TestLineProtocol: names equal MinIO warp's; hosts are tags, and what would end a tag is escaped.
// works: MinIO warp: `--influxdb`
func TestLineProtocol(t *testing.T) {
	latency := hist.New(hist.Fine)
	for range 100 {
		latency.Record(int64(20 * time.Millisecond))
	}
	c := live.Count{Kind: "GET", Latency: latency, TTFB: latency, Responses: []live.Response{
		{Host: "http://a b,c=d", Status: 200, Ops: 60, Bytes: 600, Objects: 60, Time: 1200 * time.Millisecond, FirstByte: time.Second, Fastest: time.Millisecond, Slowest: 30 * time.Millisecond},
		{Host: "http://a b,c=d", Status: 503, Ops: 2, Errors: 2},
		{Host: "h2", Status: 206, Ops: 40, Bytes: 400, Objects: 40, Time: 800 * time.Millisecond, FirstByte: time.Second, Fastest: 2 * time.Millisecond, Slowest: 40 * time.Millisecond},
	}}
	got := string(lineProtocol(Figures{Counts: []live.Count{c}}, About{ID: "Xk3f"}, map[string]string{"zone": "1"}, time.Unix(1, 0), true))
	for _, want := range []string{
		"warp,op=GET,warp_id=Xk3f,zone=1 requests=102i,objects=100i,bytes_total=1000i,errors=2i,request_total_secs=2,request_ttfb_total_secs=2,request_p50_secs=0.02",
		`warp,endpoint=http://a\ b\,c\=d,op=GET,warp_id=Xk3f,zone=1 requests=62i,objects=60i,bytes_total=600i,errors=2i,request_total_secs=1.2,request_ttfb_total_secs=1 1000000000` + "\n",
		"warp,endpoint=h2,op=GET,warp_id=Xk3f,zone=1 requests=40i,", "warp_run_summary,endpoint=h2,op=GET,", ",request_avg_secs=0.02,request_max_secs=0.04,request_min_secs=0.002 ",
		",request_avg_secs=0.02,request_max_secs=0.04,request_min_secs=0.001,request_p50_secs=", ",request_ttfb_max_secs=0.02,request_ttfb_min_secs=0.02 1000000000\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(string(lineProtocol(Figures{Counts: []live.Count{c}}, About{}, map[string]string{}, time.Unix(1, 0), false)), "summary") {
		t.Error("there is a summary before the end")
	}
}

// TestLostMetricsAreCounted: a receiver that goes on failing is told of at the first failure, and with their number at the end.
func TestLostMetricsAreCounted(t *testing.T) {
	came := make(chan struct{}, 1000)
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came <- struct{}{}
		w.WriteHeader(http.StatusInsufficientStorage)
	}))
	defer bad.Close()
	r, err := NewReceiver(OTLP, bad.URL)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	p := Push(func() Figures { return figures(2) }, About{ID: "run", Start: time.Now()}, time.Millisecond, []*Receiver{r}, func(text string) { said = append(said, text) })
	for range 3 {
		<-came
	}
	p.Close()
	if len(said) != 2 || !regexp.MustCompile(`^Warning: (\d+) of \d+ times metrics did not reach .* \(--otlp\), the last one too: `).MatchString(said[1]) {
		t.Errorf("%q", said)
	}
}

// TestPasswordOfInfluxDB: what would not be sent is refused.
func TestPasswordOfInfluxDB(t *testing.T) {
	if _, err := NewReceiver(InfluxDB, "http://user:SECRET@localhost:8086/bucket/org"); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v", err)
	}
}
