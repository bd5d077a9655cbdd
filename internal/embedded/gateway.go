//go:build !noembed

package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

// Built reports whether the binary has the server in it; one made with -tags noembed has not.
const Built = true

const (
	region       = "us-east-1"
	maxConns     = 1 << 16        // beyond any benchmark's concurrency; costs nothing until used
	maxParts     = 10000          // as S3
	maxCopy      = int64(5) << 30 // as S3
	readyTimeout = 30 * time.Second
	drainGrace   = 2 * time.Second // for requests in flight while the gateway shuts down
	portTries    = 10
)

// listenAndServe runs the gateway until ctx ends. ready is called once, when it answers.
//
// The gateway binds its port itself and takes it as a text. Where any port will do, one that is free now may be taken a
// moment later, so another one is tried then.
func (l layout) listenAndServe(ctx context.Context, o order, ready func(addr string) error) error {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fmt.Errorf("listen address %q is not host:port: %w", o.Addr, err)
	}
	if port != "0" {
		_, err := l.attempt(ctx, o, o.Addr, ready)
		return err
	}
	for range portTries {
		var addr string
		var served bool
		if addr, err = freePort(host); err != nil {
			return err
		}
		if served, err = l.attempt(ctx, o, addr, ready); served || err == nil {
			return err
		}
	}
	return err
}

// attempt runs the gateway on addr until ctx ends, and reports whether it came as far as to serve.
func (l layout) attempt(ctx context.Context, o order, addr string, ready func(addr string) error) (served bool, err error) {
	be, err := l.backend()
	if err != nil {
		return false, err
	}
	ctx, shut := context.WithCancel(ctx)
	defer shut()
	bound := make(chan struct{})
	health := "/" + rand.Text() // known to nobody else: who answers there is our gateway and no other program
	ended := make(chan error, 1)
	go func() {
		ended <- embedgw.RunVersityGW(ctx, newVersionLocks(be), config(o, addr, health, func() { close(bound) }))
	}()

	select {
	case err := <-ended:
		return false, listenError(addr, err)
	case <-bound:
	}
	addr = reachable(addr)
	if err = check(ctx, "http://"+addr+health); err == nil {
		served = true
		err = ready(addr)
	}
	if err == nil {
		select {
		case err := <-ended:
			return true, err
		case <-ctx.Done():
		}
	}
	shut()
	select {
	case e := <-ended:
		err = errors.Join(err, e)
	case <-time.After(drainGrace):
	}
	return served, err
}

// backend makes the POSIX backend, which moves the process into the data directory.
func (l layout) backend() (*posix.Posix, error) {
	var store meta.MetadataStorer = meta.XattrMeta{}
	if l.sidecar != "" {
		s, err := meta.NewSideCar(l.sidecar)
		if err != nil {
			return nil, err
		}
		store = s
	}
	return posix.New(l.data, store, posix.PosixOpts{
		VersioningDir:       l.versions,
		SideCarDir:          l.sidecar,
		CopyObjectThreshold: maxCopy,
		ForceNoObjLockFile:  true, // lock files keep several gateways apart; there is only this one
	})
}

func config(o order, addr, health string, onListen func()) *embedgw.Config {
	return &embedgw.Config{
		RootUserAccess:    o.Access,
		RootUserSecret:    o.Secret,
		Region:            region,
		Ports:             []string{addr},
		MaxConnections:    maxConns,
		MaxRequests:       maxConns,
		MultipartMaxParts: maxParts,
		KeepAlive:         true,
		Quiet:             true,
		HealthPath:        health,
		S3Options:         []s3api.Option{s3api.WithOnListen(onListen)},
	}
}

// check asks the gateway's health page.
func check(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // and no proxy
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("bad answer: %s", resp.Status)
	}
	return nil
}

// freePort finds a port of host that is free now.
func freePort(host string) (string, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(ln.Addr().String())
	return net.JoinHostPort(host, port), errors.Join(err, ln.Close())
}

// reachable is the address at which a client on this machine reaches a server that listens on addr.
func reachable(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port)
}

// listenError says what went wrong while the gateway started, without the layers that it passed through.
func listenError(addr string, err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		host, _, _ := net.SplitHostPort(addr)
		return fmt.Errorf("cannot listen on %s: this machine has no address %s; leave it out to listen on all", addr, host)
	case errors.As(err, &op):
		return fmt.Errorf("cannot listen on %s: %w; choose another port", addr, op.Err)
	}
	return err
}

// layout is how the server's directory is divided. The gateway wants the parts side by side, none within another.
type layout struct {
	data     string // buckets and current objects
	versions string // older versions
	sidecar  string // metadata; empty: it is kept in extended attributes
}

// makeLayout makes the directories below dir. Metadata goes into extended attributes if the file system has them, which
// is faster and half as many files.
func makeLayout(dir string, sidecar bool) (layout, error) {
	l := layout{data: filepath.Join(dir, "data"), versions: filepath.Join(dir, "versions")}
	for _, d := range []string{l.data, l.versions} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return layout{}, err
		}
	}
	if sidecar || !hasXattr(l.versions) {
		l.sidecar = filepath.Join(dir, "sidecar")
		if err := os.Mkdir(l.sidecar, 0o700); err != nil {
			return layout{}, err
		}
	}
	return l, nil
}

// hasXattr tries whether attributes can be written to dir; some systems know them and refuse on some file systems.
func hasXattr(dir string) bool {
	const name = "warp-probe"
	x := meta.XattrMeta{}
	if x.StoreAttribute(nil, dir, "", name, []byte("1")) != nil {
		return false
	}
	return x.DeleteAttribute(dir, "", name) == nil
}
