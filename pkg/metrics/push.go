package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/s3/target"
)

// Intervals of sending.
const (
	PushInterval  = 10 * time.Second // usually
	LeastInterval = time.Second
	pushTime      = 5 * time.Second // for one message
)

// Form is what a receiver understands.
type Form string

// The forms.
const (
	OTLP        Form = "otlp"         // OpenTelemetry, protobuf over HTTP
	RemoteWrite Form = "remote-write" // Prometheus remote write 1.0
	InfluxDB    Form = "influxdb"     // InfluxDB 2 line protocol
)

// Receiver is where metrics are sent.
type Receiver struct {
	form   Form
	url    string
	shown  string // the URL without secrets
	header http.Header
	tags   map[string]string // of InfluxDB
}

// NewReceiver parses an address. A user and a password in it are sent as such, a user alone is a token. InfluxDB is addressed as MinIO warp
// does it: http://TOKEN@HOST:PORT/BUCKET/ORG?TAG=VALUE.
func NewReceiver(form Form, address string) (*Receiver, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("want a URL such as " + examples[form]) // without the address, which may hold a secret
	}
	r := &Receiver{form: form, header: make(http.Header), tags: make(map[string]string)}
	if user := u.User; user != nil {
		password, both := user.Password()
		switch {
		case form == InfluxDB && both:
			return nil, errors.New("a password is not sent to InfluxDB (want the token alone: " + examples[form] + ")")
		case form == InfluxDB:
			r.header.Set("Authorization", "Token "+user.Username())
		case both:
			req := http.Request{Header: r.header}
			req.SetBasicAuth(user.Username(), password)
		default:
			r.header.Set("Authorization", "Bearer "+user.Username())
		}
	}
	if option.CheckLine(r.header.Get("Authorization")) != nil {
		return nil, errors.New("the user or the password holds a control character (want one line of text)")
	}
	u.User = nil
	shown := *u
	shown.RawQuery, shown.Fragment = "", "" // which may hold a secret too
	r.shown = shown.String()
	switch {
	case form == InfluxDB:
		err = r.influx(u)
	case u.Path == "" || u.Path == "/":
		u.Path = paths[form]
	}
	for name, value := range contents[form] {
		r.header.Set(name, value)
	}
	r.url = u.String()
	return r, err
}

var (
	examples = map[Form]string{OTLP: "http://localhost:4318", RemoteWrite: "http://localhost:9090/api/v1/write", InfluxDB: "http://TOKEN@localhost:8086/BUCKET/ORG?TAG=VALUE"}
	paths    = map[Form]string{OTLP: "/v1/metrics", RemoteWrite: "/api/v1/write"}
	contents = map[Form]map[string]string{
		OTLP:        {"Content-Type": "application/x-protobuf"},
		RemoteWrite: {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0"},
		InfluxDB:    {"Content-Type": "text/plain; charset=utf-8"},
	}
)

// Pusher sends metrics to receivers while a run goes on. The first failure of a receiver is told at once, and how many there were at the end. It
// is tried again with the next totals.
type Pusher struct {
	about    About
	interval time.Duration
	registry *prometheus.Registry
	read     func() Figures
	complain func(string)
	client   *http.Client
	quit     chan struct{}
	done     sync.WaitGroup
}

// About identifies a run to receivers.
type About struct {
	ID       string // of the run
	Hostname string
	Version  string
	Start    time.Time
}

// Push begins to send what a function returns. It calls complain with what a user should know.
func Push(read func() Figures, about About, interval time.Duration, receivers []*Receiver, complain func(string)) *Pusher {
	p := &Pusher{about: about, interval: interval, registry: Registry(NewCollector(read)), read: read, complain: complain, client: &http.Client{Timeout: pushTime, CheckRedirect: target.SameOrigin, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}, quit: make(chan struct{})}
	for _, r := range receivers {
		p.done.Go(func() { p.feed(r) })
	}
	return p
}

// Close sends the last totals, and ends.
func (p *Pusher) Close() {
	close(p.quit)
	p.done.Wait()
	p.client.CloseIdleConnections()
}

// feed sends totals to one receiver, at intervals and at the end.
func (p *Pusher) feed(r *Receiver) {
	tick := time.NewTicker(p.interval)
	defer tick.Stop()
	sent, failed := 0, 0
	var err error
	for last := false; !last; sent++ {
		select {
		case <-tick.C:
		case <-p.quit:
			last = true
		}
		if err = p.send(r, last); err == nil {
			continue
		}
		if failed++; failed == 1 {
			p.complain(fmt.Sprintf("Warning: metrics cannot be sent to %s (--%s): %v. The run goes on; it is tried again every %v.", r.shown, r.form, err, p.interval))
		}
	}
	if failed > 1 {
		last := "the last one arrived"
		if err != nil {
			last = "the last one too: " + err.Error()
		}
		p.complain(fmt.Sprintf("Warning: %d of %d times metrics did not reach %s (--%s), %s.", failed, sent, r.shown, r.form, last))
	}
}

// send sends the present totals.
func (p *Pusher) send(r *Receiver, last bool) error {
	body, err := p.encode(r, last)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pushTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = r.header
	res, err := p.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the URL is named already, without what is secret in it
		}
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 200))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %q", res.Status, text)
	}
	return nil
}

func (p *Pusher) encode(r *Receiver, last bool) ([]byte, error) {
	now := clock.Now()
	if r.form == InfluxDB {
		return lineProtocol(p.read(), p.about, r.tags, now, last), nil
	}
	families, err := p.registry.Gather()
	if err != nil {
		return nil, err
	}
	if r.form == OTLP {
		return otlpRequest(families, p.about, now), nil
	}
	return remoteWrite(families, p.about, now), nil
}
