package connect

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"warp/internal/option"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/hosts"
	"warp/pkg/s3/lean"
	"warp/pkg/s3/std"
)

// engine makes the clients of sessions.
type engine struct {
	cfg       *s3.Config
	endpoints []*hosts.Endpoint
	tls       negotiated

	name, reason string // see s3.Store
	newClient    func(number int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error)
	end          []func() // closes connections
}

// newEngine chooses the engine, and prepares it.
func newEngine(cfg *s3.Config, endpoints []*hosts.Endpoint) (*engine, error) {
	e := &engine{cfg: cfg, endpoints: endpoints}
	err := e.choose()
	switch {
	case err != nil:
	case e.name == s3.EngineLean:
		err = e.useLean()
	default:
		if cfg.Engine != s3.EngineStd && cfg.Debug != nil {
			cfg.Debug("engine %s: %s", e.name, e.reason)
		}
		err = e.useStd()
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// close closes connections.
func (e *engine) close() {
	for _, end := range e.end {
		end()
	}
}

// choose chooses what serves the operations, and says why if it is not the lean engine although that was not ruled out.
func (e *engine) choose() error {
	if e.name = s3.EngineStd; e.cfg.Engine == s3.EngineStd {
		e.reason = "it was asked for (--engine=std)"
	} else {
		e.reason = e.needsStd()
	}
	switch {
	case e.reason == "":
		e.name = s3.EngineLean
	case e.cfg.Engine == s3.EngineLean:
		return errors.New("--engine=lean cannot be used: " + e.reason + "; leave it out, or use --engine=std")
	case e.cfg.Realtime:
		return errors.New("--realtime: not with the std engine; " + e.reason)
	}
	return nil
}

// needsStd names an option that the lean engine cannot honour; empty if there is none.
func (e *engine) needsStd() string {
	if e.cfg.Signature == "S3V2" && !e.cfg.Anonymous() {
		return "--signature=S3V2 is made by the std engine alone"
	}
	if e.cfg.HTTP2 {
		return "--http2 is spoken by the std engine alone"
	}
	first := e.endpoints[0].Region
	for i, at := range e.endpoints {
		if at.Region != first {
			return "the hosts are in several regions (" + first + ", " + at.Region + "), for which only the std engine signs"
		}
		host := &http.Request{URL: &at.Bucket}
		if proxy, err := http.ProxyFromEnvironment(host); err != nil || proxy != nil {
			return "the environment names a proxy for host " + e.cfg.Hosts[i] + " (HTTP_PROXY, HTTPS_PROXY), which only the std engine goes through"
		}
	}
	return ""
}

func (e *engine) useLean() error {
	if e.cfg.Realtime {
		if err := loop.CheckRealtime(); err != nil {
			return option.Wrap("realtime", err)
		}
	}
	var targets []*lean.Target
	for i, at := range e.endpoints {
		t, err := e.leanTarget(&at.Bucket, at.Address, "")
		if err != nil {
			return fmt.Errorf("host %s: %w", e.cfg.Hosts[i], err)
		}
		targets = append(targets, t)
	}
	redirectTarget := e.leanRedirectTarget()
	conns := lean.NewPool(len(targets), s3.MaxConnections(e.cfg.Concurrency, len(targets)))
	e.end = append(e.end, conns.Close)
	e.newClient = func(number int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error) {
		return lean.NewClient(lean.Options{
			Targets:        targets,
			Pool:           conns,
			Keys:           keys,
			Region:         e.endpoints[0].Region,
			Number:         number,
			Close:          e.cfg.NoKeepAlive,
			FirstByte:      e.cfg.FirstByteLimit(),
			Idle:           e.cfg.IdleLimit(),
			RedirectTarget: redirectTarget,
		})
	}
	return nil
}

// leanTarget makes a target of the lean engine: a bucket, or the root of a host, and where connections to it go.
func (e *engine) leanTarget(at *url.URL, address, region string) (*lean.Target, error) {
	local, err := e.cfg.LocalAddress()
	if err != nil {
		return nil, err
	}
	o := lean.TargetOptions{
		Address: address,
		Host:    at.Host,
		Path:    at.EscapedPath(),
		Region:  region,
		Local:   local,
		TCP:     e.cfg.TCP,
		Timeout: e.cfg.DialLimit(),
	}
	if at.Scheme == "https" {
		if o.TLS, err = e.newTLS(); err != nil {
			return nil, err
		}
		o.TLS.ServerName = cmp.Or(o.TLS.ServerName, at.Hostname())
	}
	return lean.NewTarget(o)
}

// leanRedirectTarget returns what makes the targets of hosts that requests are redirected to. All clients have them in common, and so look
// their names up once.
func (e *engine) leanRedirectTarget() lean.RedirectTarget {
	var mu sync.Mutex
	made := map[string]*lean.Target{}
	return func(root url.URL, region string) (*lean.Target, error) {
		if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &root}); err != nil || proxy != nil {
			return nil, fmt.Errorf("the environment names a proxy for host %s, which only --engine=std goes through", root.Host)
		}
		mu.Lock()
		defer mu.Unlock()
		id := root.String() + " " + region
		if made[id] != nil {
			return made[id], nil
		}
		t, err := e.leanTarget(&root, net.JoinHostPort(root.Hostname(), hosts.Port(&root)), region)
		if err == nil {
			made[id] = t
		}
		return t, err
	}
}

func (e *engine) useStd() error {
	shared, err := e.newTransport("")
	if err != nil {
		return err
	}
	o := std.Options{V2: e.cfg.Signature == "S3V2", RedirectTarget: func(root url.URL, region string) (*std.Target, error) {
		return &std.Target{URL: root, Virtual: strings.HasPrefix(root.Host, e.cfg.Bucket+"."), Region: region, Transport: shared}, nil
	}}
	for i, at := range e.endpoints {
		t := &std.Target{URL: at.Bucket, Virtual: at.Virtual, Region: at.Region, Transport: shared}
		if host := e.cfg.Hosts[i]; e.cfg.Names[host] != "" { // the transport would go where the name leads
			if t.Transport, err = e.newTransport(e.cfg.WithPort(host)); err != nil {
				return err
			}
		}
		o.Targets = append(o.Targets, t)
	}
	e.newClient = func(_ int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error) {
		o := o
		o.Keys = keys
		return std.NewClient(o), nil
	}
	return nil
}

// newTransport makes a transport of one host at an address of its own, or of all.
func (e *engine) newTransport(address string) (*http.Transport, error) {
	local, err := e.cfg.LocalAddress()
	if err != nil {
		return nil, err
	}
	secure, err := e.newTLS()
	if err != nil {
		return nil, err
	}
	t := std.NewTransport(std.TransportOptions{
		Address:     address,
		TLS:         secure,
		Local:       local,
		TCP:         e.cfg.TCP,
		DialTimeout: e.cfg.DialLimit(),
		FirstByte:   e.cfg.FirstByteLimit(),
		Idle:        e.cfg.IdleLimit(),
		Close:       e.cfg.NoKeepAlive,
		MaxPerHost:  e.cfg.Concurrency,
		MaxIdle:     maxIdle(e.cfg.Concurrency, len(e.endpoints), address != ""),
	})
	e.end = append(e.end, t.CloseIdleConnections)
	return t, nil
}

// maxIdle is how many connections a transport keeps that no request uses, so that s3.MaxConnections holds; 0: any number. A transport
// that serves one host of several has its part of them.
func maxIdle(threads, hosts int, oneHost bool) int {
	if threads == 0 {
		return 0
	}
	idle := threads + hosts
	if oneHost {
		idle = max(1, idle/hosts)
	}
	return idle
}

// newTLS makes the configuration of TLS connections, which the engine takes note of.
func (e *engine) newTLS() (*tls.Config, error) {
	t, err := e.cfg.TLSOptions.New(e.cfg.Insecure)
	if err != nil {
		return nil, err
	}
	if t.VerifyConnection = e.tls.note; e.cfg.HTTP2 {
		t.VerifyConnection = e.tls.noteHTTP2
	}
	return t, nil
}
