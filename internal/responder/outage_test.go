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
	// Each request has a connection of its own: net/http tries again where the lost one was idle.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func() string {
		resp, err := client.Get(s.URL() + "/b/k")
		switch {
		case err != nil && strings.Contains(err.Error(), "refused"):
			return "refused"
		case err != nil:
			return "hung up" // net/http has many words for it: the connection may be closed before, while or after the request is sent
		}
		_ = resp.Body.Close()
		return resp.Status
	}
	for _, step := range []struct {
		outage Outage
		want   string
		hungUp uint64
	}{{Up, "404 Not Found", 0}, {Refusing, "refused", 0}, {Refusing, "refused", 0}, {Up, "404 Not Found", 0}, {HangingUp, "hung up", 1}, {Refusing, "refused", 1}, {HangingUp, "hung up", 2}, {Up, "404 Not Found", 2}} {
		if err := s.SetOutage(step.outage); err != nil {
			t.Fatal(err)
		}
		got := ask()
		if got != step.want || s.HungUp() != step.hungUp {
			t.Errorf("%v: %q, %d hung up; want %q, %d", step.outage, got, s.HungUp(), step.want, step.hungUp)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
