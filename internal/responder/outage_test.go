package responder

import (
	"net/http"
	"strings"
	"testing"
)

func TestOutage(t *testing.T) {
	s, err := New(Options{Buckets: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	// Each request has a connection of its own: net/http words the loss of an idle one in several ways, and tries again.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func() string {
		resp, err := client.Get(s.URL() + "/b/k")
		if err != nil {
			return err.Error()
		}
		_ = resp.Body.Close()
		return resp.Status
	}
	for _, step := range []struct {
		outage Outage
		want   string
		hungUp uint64
	}{{Up, "404", 0}, {Refusing, "connection refused", 0}, {Refusing, "connection refused", 0}, {Up, "404", 0}, {HangingUp, "EOF", 1}, {Refusing, "connection refused", 1}, {HangingUp, "EOF", 2}, {Up, "404", 2}} {
		if err := s.SetOutage(step.outage); err != nil {
			t.Fatal(err)
		}
		got := ask()
		if strings.Contains(got, "connection reset") || strings.Contains(got, "broken pipe") {
			got = "EOF" // the request was sent before or after the connection was closed
		}
		if !strings.Contains(got, step.want) || s.HungUp() != step.hungUp {
			t.Errorf("%v: %q, %d hung up; want %q, %d", step.outage, got, s.HungUp(), step.want, step.hungUp)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
