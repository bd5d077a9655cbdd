package s3

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"warp/pkg/s3/lean"
)

// leanStore is the engine "lean": operations go over connections of their own, which package lean serves. The bucket
// itself, which nobody measures, stays with the SDK.
type leanStore struct {
	*sdkStore
	targets []*lean.Target
	conns   *lean.Pool
	keys    *lean.Keys // nil: requests are not signed
	forms   leanForms

	mu       sync.Mutex
	sessions []*leanSession
	closed   bool
}

// leanForms are the heads of the requests of all operations.
type leanForms struct{ put, part, get, ranged, stat, del, delMany, list *lean.Form }

func newLean(sdk *sdkStore) (*leanStore, error) {
	s := &leanStore{sdkStore: sdk, conns: lean.NewPool(len(sdk.hosts), MaxConnections(sdk.cfg.Concurrency, len(sdk.hosts)))}
	if !sdk.cfg.anonymous() {
		s.keys = &lean.Keys{
			Access: string(sdk.cfg.AccessKey), Secret: string(sdk.cfg.SecretKey), Token: string(sdk.cfg.SessionToken),
			Region: sdk.hosts[0].signer.region,
		} // the same for all, see needsSDK
	}
	if err := s.forms.make(&sdk.cfg, s.keys, sdk.encryption()); err != nil {
		return nil, err
	}
	for i, h := range sdk.hosts {
		t, err := newLeanTarget(&sdk.cfg, sdk.cfg.Hosts[i], h)
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", sdk.cfg.Hosts[i], err)
		}
		s.targets = append(s.targets, t)
	}
	return s, nil
}

// newLeanTarget addresses the bucket as the SDK does.
func newLeanTarget(cfg *Config, host string, h *sdkHost) (*lean.Target, error) {
	address := host
	if h.virtual && cfg.Names[host] == "" {
		address = h.bucket.Host
	}
	local, err := cfg.localAddr()
	if err != nil {
		return nil, err
	}
	o := lean.TargetOptions{
		Address: cfg.withPort(address), Host: h.bucket.Host, Local: local, Timeout: cfg.dialLimit(),
		Path: strings.TrimSuffix(h.bucket.EscapedPath(), "/"),
	}
	if cfg.TLS {
		o.TLS = newTLS(cfg)
		o.TLS.ServerName = h.bucket.Hostname()
	}
	return lean.NewTarget(o)
}

// make makes the forms. sse are the headers of SSE-C, which go with everything that touches the contents of objects.
func (f *leanForms) make(cfg *Config, keys *lean.Keys, sse []Header) error {
	put := append(slices.Clone(sse), cfg.Headers...)
	if !hasHeader(put, "Content-Type") {
		put = append(put, Header{Name: "Content-Type", Value: "application/octet-stream"})
	}
	kinds := []struct {
		form **lean.Form
		opts lean.FormOptions
	}{
		{&f.put, lean.FormOptions{Method: http.MethodPut, Body: true, Headers: put, Expect: cfg.Expect}},
		{&f.part, lean.FormOptions{Method: http.MethodPut, Body: true, Headers: sse, Expect: cfg.Expect}},
		{&f.get, lean.FormOptions{Method: http.MethodGet, Headers: sse}},
		{&f.ranged, lean.FormOptions{Method: http.MethodGet, Range: true, Headers: sse}},
		{&f.stat, lean.FormOptions{Method: http.MethodHead, Headers: sse}},
		{&f.del, lean.FormOptions{Method: http.MethodDelete}},
		{&f.delMany, lean.FormOptions{
			Method: http.MethodPost, Body: true, MD5: true,
			Headers: []Header{{Name: "Content-Type", Value: "application/xml"}},
		}},
		{&f.list, lean.FormOptions{Method: http.MethodGet}},
	}
	for _, k := range kinds {
		k.opts.Keys, k.opts.Close = keys, cfg.NoKeepAlive
		var err error
		if *k.form, err = lean.NewForm(k.opts); err != nil {
			return err
		}
	}
	return nil
}

func hasHeader(headers []Header, name string) bool {
	return slices.ContainsFunc(headers, func(h Header) bool { return strings.EqualFold(h.Name, name) })
}

// Session makes a session, which has connections of its own.
func (s *leanStore) Session(worker int) Session {
	session := &leanSession{store: s, worker: worker}
	s.mu.Lock()
	defer s.mu.Unlock()
	session.closed.Store(s.closed)
	s.sessions = append(s.sessions, session)
	return session
}

// Engine is "lean".
func (s *leanStore) Engine() string { return engineLean }

// EngineReason is empty: this engine needs none.
func (s *leanStore) EngineReason() string { return "" }

// Close closes the connections of sessions that are idle, and those of others at the end of their operation.
func (s *leanStore) Close() {
	s.mu.Lock()
	s.closed = true
	sessions := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	for _, session := range sessions {
		session.close()
	}
	s.conns.Close()
	s.sdkStore.Close()
}
