package responder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Raw is a server for measuring what a client costs: it responds at once, with canned headers and one shared body, and understands no more
// of HTTP than that needs, be it S3, Azure Blob Storage or Google Cloud Storage. Every key exists. Small bodies are kept, so that a client
// that looks whether a server keeps its word is content.
type Raw struct {
	listener net.Listener
	body     []byte
	get      []byte // header of the response to a GET
	whole    []byte // header and body, if that is small
	requests [256]atomic.Uint64
	keep     int      // the size up to which bodies are kept
	kept     sync.Map // path -> []byte
	count    atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil: closed
	wait  sync.WaitGroup
}

// RawSmall is the size up to which a Raw keeps bodies if no more is asked for.
const RawSmall = 64

const (
	rawRead         = 64 << 10
	rawWhole        = 16 << 10 // maximum size of a response that is sent in one write, also over TLS
	rawNothing      = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	rawParted       = "HTTP/1.1 200 OK\r\nETag: \"0123456789abcdef0123456789abcdef\"\r\nContent-Length: 0\r\n\r\n"
	rawDeleted      = "HTTP/1.1 204 No Content\r\n\r\n"
	rawAzurePut     = "HTTP/1.1 201 Created\r\nETag: \"0\"\r\nContent-Length: 0\r\n\r\n"
	rawAzureDeleted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
	rawAzureListing = "<EnumerationResults></EnumerationResults>"
	rawUnknown      = "HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n"
	rawListing      = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>" // clients do not mind its name
	rawBatch        = "<DeleteResult></DeleteResult>"
	rawCommon       = "Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\nETag: \"0\"\r\nContent-Length: "
)

var (
	rawPart  = []byte("?partNumber=")
	rawAzure = []byte("\r\nX-Ms-Version: ")
)

// NewRaw starts a Raw on an address, with objects of a size. Bodies of up to keep bytes are kept.
func NewRaw(address string, size, keep int) (*Raw, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("responder: %w", err)
	}
	return ServeRaw(l, size, keep), nil
}

// ServeRaw starts a Raw on a listener, which may be one for TLS, and closes it in the end.
func ServeRaw(l net.Listener, size, keep int) *Raw {
	r := &Raw{listener: l, body: make([]byte, size), keep: keep, conns: map[net.Conn]struct{}{}}
	r.get = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\n%s%d\r\n\r\n", rawCommon, size)
	if size <= rawWhole {
		r.whole = slices.Concat(r.get, r.body)
	}
	r.wait.Go(r.accept)
	return r
}

// Host is the server's host:port.
func (r *Raw) Host() string { return r.listener.Addr().String() }

// Requests is how many requests arrived whose method begins with this letter.
func (r *Raw) Requests(letter byte) uint64 { return r.requests[letter].Load() }

// Close ends the server and all its connections.
func (r *Raw) Close() error {
	err := r.listener.Close()
	r.mu.Lock()
	for c := range r.conns {
		_ = c.Close() // its client may be gone
	}
	r.conns = nil
	r.mu.Unlock()
	r.wait.Wait()
	return err
}

func (r *Raw) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		if r.conns == nil {
			_ = c.Close()
		} else {
			r.conns[c] = struct{}{}
			r.wait.Go(func() { r.serve(c) })
		}
		r.mu.Unlock()
	}
}

// serve responds to the requests of a connection until it ends.
func (r *Raw) serve(c net.Conn) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.conns != nil {
			delete(r.conns, c)
			_ = c.Close() // the client is gone
		}
	}()
	v := rawVisit{r: r, c: c, in: make([]byte, rawRead), out: make(net.Buffers, 0, 2)}
	for v.request() == nil && v.respond() == nil {
		r.requests[v.head[0]].Add(1)
	}
}

// rawVisit is a connection of a client.
type rawVisit struct {
	r    *Raw
	c    net.Conn
	in   []byte
	n    int    // bytes in in
	head []byte // of the present request
	size int    // of its body
	body []byte // if it is to be kept
	out  net.Buffers
}

// request reads a request. It throws its body away, unless that is to be kept.
func (v *rawVisit) request() error {
	end := -1
	for v.n = 0; end < 0; end = bytes.Index(v.in[:v.n], []byte("\r\n\r\n")) {
		if v.n == len(v.in) {
			return errors.New("head too long")
		}
		n, err := v.c.Read(v.in[v.n:])
		if err != nil {
			return err
		}
		v.n += n
	}
	v.head = v.in[:end]
	v.size = v.length()
	body := v.in[end+4 : v.n]
	if v.body = nil; 0 < v.size && v.size <= v.r.keep {
		v.body = make([]byte, v.size)
		_, err := io.ReadFull(v.c, v.body[copy(v.body, body):])
		return err
	}
	for left := v.size - len(body); left > 0; { // over the body so far, but not over the head
		n, err := v.c.Read(v.in[end+4:])
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func (v *rawVisit) length() int {
	const name = "\r\nContent-Length: "
	i := bytes.Index(v.head, []byte(name))
	if i < 0 {
		return 0
	}
	digits, _, _ := bytes.Cut(v.head[i+len(name):], []byte("\r\n"))
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0
	}
	return n
}

// respond responds to the present request.
func (v *rawVisit) respond() error {
	if path, ok := v.google(); ok {
		return v.respondGoogle(path)
	}
	switch v.head[0] {
	case 'D':
		if v.r.count.Load() > 0 {
			v.forget(v.path())
		}
		if v.azure() {
			return v.write(rawAzureDeleted)
		}
		return v.write(rawDeleted)
	case 'H':
		_, err := v.c.Write(v.r.get)
		return err
	case 'P':
		if v.head[1] == 'O' && v.azure() { // a batch
			return v.write(rawUnknown)
		}
		if v.head[1] == 'O' {
			return v.write("HTTP/1.1 200 OK\r\n" + rawCommon + strconv.Itoa(len(rawBatch)) + "\r\n\r\n" + rawBatch)
		}
		if v.body != nil {
			v.keep(v.path())
		}
		if v.azure() {
			return v.write(rawAzurePut)
		}
		if bytes.Contains(v.head, rawPart) {
			return v.write(rawParted)
		}
		return v.write(rawNothing)
	}
	return v.respondGet()
}

// azure reports whether the present request is one to Azure Blob Storage, which has other statuses for its successes.
func (v *rawVisit) azure() bool { return bytes.Contains(v.head, rawAzure) }

func (v *rawVisit) respondGet() error {
	if v.lists() {
		listing := rawListing
		if v.azure() {
			listing = rawAzureListing
		}
		return v.write("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(listing)) + "\r\n\r\n" + listing)
	}
	if v.r.count.Load() == 0 {
		return v.send(nil, false)
	}
	return v.send(v.kept(v.path()))
}

// send sends the body that was kept, or else the shared one.
func (v *rawVisit) send(kept []byte, ok bool) error {
	head, body := v.r.get, v.r.body
	if ok {
		body = kept
		head = []byte("HTTP/1.1 200 OK\r\n" + rawCommon + strconv.Itoa(len(body)) + "\r\n\r\n")
	} else if len(v.r.whole) > 0 {
		_, err := v.c.Write(v.r.whole)
		return err
	}
	v.out = append(v.out[:0], head, body)
	out := v.out
	_, err := out.WriteTo(v.c)
	return err
}

// kept returns the body that was uploaded to a path, if it was kept.
func (v *rawVisit) kept(path string) ([]byte, bool) {
	kept, _ := v.r.kept.Load(path)
	body, ok := kept.([]byte)
	return body, ok
}

// keep keeps the body of the present request, as what is at a path.
func (v *rawVisit) keep(path string) {
	if _, again := v.r.kept.Swap(path, v.body); !again {
		v.r.count.Add(1)
	}
}

// forget no longer keeps what is at a path.
func (v *rawVisit) forget(path string) {
	if _, kept := v.r.kept.LoadAndDelete(path); kept {
		v.r.count.Add(-1)
	}
}

// lists reports whether the present GET is for a listing: of objects, versions or uploads.
func (v *rawVisit) lists() bool {
	line, _, _ := bytes.Cut(v.head, []byte("\r\n"))
	_, query, _ := bytes.Cut(line, []byte("?"))
	for _, sign := range []string{"list-type=", "versions", "uploads", "comp=list"} {
		if bytes.Contains(query, []byte(sign)) {
			return true
		}
	}
	return false
}

func (v *rawVisit) write(s string) error {
	_, err := io.WriteString(v.c, s)
	return err
}

// path is the path of the present request.
func (v *rawVisit) path() string {
	line, _, _ := strings.Cut(string(v.head), "\r\n")
	_, rest, _ := strings.Cut(line, " ")
	path, _, _ := strings.Cut(rest, " ")
	return path
}
