package s3

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"warp/pkg/s3/lean"
)

// hostHeader returns the host of a URL as clients write it into Host.
func hostHeader(u *url.URL) string {
	name, port, err := net.SplitHostPort(u.Host)
	if err != nil || (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		return u.Host
	}
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}

// leanTarget makes a target of the lean engine: a bucket, or the root of a host, and where connections to it go.
func leanTarget(s *store, at *url.URL, address, name, region string) (*lean.Target, error) {
	local, err := s.cfg.localAddr()
	if err != nil {
		return nil, err
	}
	o := lean.TargetOptions{
		Address: address, Host: at.Host, Path: at.EscapedPath(), Region: region, Local: local, TCP: s.cfg.TCP, Timeout: s.cfg.DialLimit(),
	}
	if at.Scheme == "https" {
		if o.TLS, err = s.newTLS(); err != nil {
			return nil, err
		}
		o.TLS.ServerName = cmp.Or(o.TLS.ServerName, name)
	}
	return lean.NewTarget(o)
}

// leanElsewhere returns what makes the targets of hosts that requests are redirected to. All clients have them in common, and so look
// their names up once.
func leanElsewhere(s *store) lean.Elsewhere {
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
		t, err := leanTarget(s, &root, net.JoinHostPort(root.Hostname(), portOf(&root)), root.Hostname(), region)
		if err == nil {
			made[id] = t
		}
		return t, err
	}
}
