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
	"warp/pkg/s3/target"
)

// Intervals of sending.
const (
	PushInterval = 10 * time.Second // usually
	MinInterval  = time.Second
	pushTime     = 5 * time.Second // for one message
)

// Pusher sends metrics to receivers while a run goes on. The first failure of a receiver is told at once, and how many there were at the
// end. It is tried again with the next totals.
type Pusher struct {
	about    About
	interval time.Duration
	registry *prometheus.Registry
	read     func() Figures
	warn     func(string)
	client   *http.Client
	quit     chan struct{}
	done     sync.WaitGroup
}

// Push begins to send what a function returns. It calls warn with failures that a user should know of.
func Push(read func() Figures, about About, interval time.Duration, receivers []*Receiver, warn func(string)) *Pusher {
	p := &Pusher{
		about:    about,
		interval: interval,
		registry: Registry(NewCollector(read)),
		read:     read,
		warn:     warn,
		client: &http.Client{
			Timeout:       pushTime,
			CheckRedirect: target.SameOrigin,
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment},
		},
		quit: make(chan struct{}),
	}
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
			const text = "Warning: metrics cannot be sent to %s (--%s): %v. The run goes on; it is tried again every %v."
			p.warn(fmt.Sprintf(text, r.shown, r.form, err, p.interval))
		}
	}
	if failed > 1 {
		last := "the last one arrived"
		if err != nil {
			last = "the last one too: " + err.Error()
		}
		p.warn(fmt.Sprintf("Warning: %d of %d times metrics did not reach %s (--%s), %s.", failed, sent, r.shown, r.form, last))
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
