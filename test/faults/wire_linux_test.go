package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// wire connects network namespaces, and is the place where packets are delayed and lost. Each namespace has a TUN device
// whose other end is here. The kernel's own way (tc with netem) is missing on many machines, and cannot tell a test what it
// did.
type wire struct {
	t     *testing.T
	net   int // number of its network, 198.18.net.0/24
	ports map[netip.Addr]*os.File
	names []string // of namespaces

	mu    sync.Mutex
	paths map[direction]*path
	rng   *rand.Rand

	carrying, delivering sync.WaitGroup
}

type direction struct{ from, to netip.Addr }

// path is what happens to packets in one direction.
type path struct {
	queue  chan packet
	delay  time.Duration
	loss   float64
	cut    bool
	passed atomic.Int64
	lost   atomic.Int64
}

type packet struct {
	due time.Time
	b   []byte
}

// networks numbers the networks of the tests that go on at the same time.
var networks atomic.Int64

// newWire makes a network with the test itself in it, as 198.18.N.254.
func newWire(t *testing.T) *wire {
	t.Helper()
	if os.Getenv("WARP_NETWORKS") == "" {
		t.Skip("it takes a minute; \"make faults\" asks for it (WARP_NETWORKS=1)")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("iproute2 is not installed")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make network namespaces")
	}
	w := &wire{
		t: t, net: int(networks.Add(1)), ports: make(map[netip.Addr]*os.File), paths: make(map[direction]*path), rng: rand.New(rand.NewPCG(1, 2)),
	}
	t.Cleanup(w.close)
	w.plug("", 254)
	return w
}

// addr is the address of a host in the network.
func (w *wire) addr(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{198, 18, byte(w.net), byte(host)})
}

// namespace makes a host, and gives what stands in front of the command line of a program that is to run there.
func (w *wire) namespace(host int) (prefix []string) {
	w.t.Helper()
	name := fmt.Sprintf("warp-%d-%d-%d", os.Getpid(), w.net, host)
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		w.t.Skipf("this machine allows no network namespaces: %s", out)
	}
	w.names = append(w.names, name)
	w.plug(name, host)
	return []string{"ip", "netns", "exec", name}
}

// ip changes the network of a namespace; of the test's own for "".
func (w *wire) ip(namespace string, args ...string) {
	w.t.Helper()
	if namespace != "" {
		args = append([]string{"-n", namespace}, args...)
	}
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		w.t.Fatalf("ip %q: %v: %s", args, err, out)
	}
}

// device is the name of the network device of a host.
func (w *wire) device(host int) string { return fmt.Sprintf("warp%d.%d", w.net, host) }

// plug makes the device of a host.
func (w *wire) plug(namespace string, host int) {
	w.t.Helper()
	name := w.device(host)
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		w.t.Skipf("this machine has no TUN devices: %v", err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		w.t.Skipf("this machine allows no TUN devices: %v", err)
	}
	port := os.NewFile(uintptr(fd), name)
	w.mu.Lock()
	w.ports[w.addr(host)] = port
	w.mu.Unlock()
	if namespace != "" {
		w.ip("", "link", "set", name, "netns", namespace)
		w.ip(namespace, "link", "set", "lo", "up")
	}
	w.ip(namespace, "addr", "add", w.addr(host).String()+"/24", "dev", name)
	w.ip(namespace, "link", "set", name, "up")
	w.carrying.Go(func() { w.carry(port) })
}

// carry takes in what a host sends, until the wire is closed.
func (w *wire) carry(port *os.File) {
	b := make([]byte, 1<<16)
	for {
		n, err := port.Read(b)
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil { // the device is down
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if n < 20 || b[0]>>4 != 4 {
			continue // IPv6, which looks for neighbours by itself
		}
		from, to := netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
		w.send(w.path(from, to), append([]byte(nil), b[:n]...))
	}
}

func (w *wire) send(p *path, b []byte) {
	w.mu.Lock()
	lost := p == nil || p.cut || w.rng.Float64() < p.loss
	var due time.Time
	if p != nil {
		due = time.Now().Add(p.delay)
	}
	w.mu.Unlock()
	if lost {
		if p != nil {
			p.lost.Add(1)
		}
		return
	}
	select {
	case p.queue <- packet{due, b}:
		p.passed.Add(1)
	default: // a router whose memory is full does the same
		p.lost.Add(1)
	}
}

// path is that of a direction; nil if there is no such host.
func (w *wire) path(from, to netip.Addr) *path {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, port := w.paths[direction{from, to}], w.ports[to]
	if p == nil && port != nil {
		p = &path{queue: make(chan packet, 4096)}
		w.paths[direction{from, to}] = p
		w.delivering.Go(func() {
			for k := range p.queue { // in order, so that delay alone reorders nothing
				time.Sleep(time.Until(k.due))
				_, _ = port.Write(k.b) // a device that is down takes nothing
			}
		})
	}
	return p
}

// set changes what happens to packets between two hosts, both ways.
func (w *wire) set(a, b int, change func(*path)) {
	w.oneWay(a, b, change)
	w.oneWay(b, a, change)
}

// oneWay changes what happens to packets from a host to another.
func (w *wire) oneWay(from, to int, change func(*path)) {
	p := w.path(w.addr(from), w.addr(to))
	w.mu.Lock()
	defer w.mu.Unlock()
	change(p)
}

// serve has the test answer requests to its own address.
func (w *wire) serve(h http.Handler) (host string) {
	w.t.Helper()
	l, err := net.Listen("tcp", netip.AddrPortFrom(w.addr(254), 9000).String())
	if err != nil {
		w.t.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }() // until it is closed
	w.t.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

func (w *wire) close() {
	for _, name := range w.names {
		if out, err := exec.Command("ip", "netns", "delete", name).CombinedOutput(); err != nil {
			w.t.Errorf("delete namespace %s: %v: %s", name, err, out)
		}
	}
	for _, port := range w.ports {
		port.Close()
	}
	w.carrying.Wait()
	for _, p := range w.paths {
		close(p.queue)
	}
	w.delivering.Wait()
}
