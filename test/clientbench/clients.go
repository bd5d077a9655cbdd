package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"
	"github.com/valyala/fasthttp"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// loopArgs are what a client in a process of its own is started with.
type loopArgs struct {
	Client      string // a key of clients
	Host        string
	TLS         bool
	Kind        string // get, put, stat, delete
	Size        int
	Connections int
	Duration    time.Duration // of the loop; 0: count the allocations of a few requests
}

// clients make functions that perform one request over a connection of their own, with nothing around it: no workload, no
// records.
var clients = map[string]func(ctx context.Context, a loopArgs) (func() error, error){
	"bare":            newBare,
	"lean":            newEngine,
	"std":             newEngine,
	"fasthttp":        newFastHTTP,
	"net/http":        newNetHTTP,
	"net/http+signer": newNetHTTP,
}

// loop performs requests over several connections at once.
func loop(a loopArgs, out io.Writer) error {
	newClient := clients[a.Client]
	if newClient == nil {
		return fmt.Errorf("unknown client %q", a.Client)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	errs := make([]error, a.Connections)
	end := clock.Now().Add(a.Duration)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			request, err := newClient(ctx, a)
			if err == nil && a.Duration == 0 {
				err = countAllocs(request, out)
			}
			for err == nil && clock.Now().Before(end) {
				err = request()
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// countAllocs prints how often a request allocates.
func countAllocs(request func() error, out io.Writer) error {
	const count = 200
	var before, after runtime.MemStats
	for i := range count + 1 {
		if i == 1 { // the first one connects
			runtime.ReadMemStats(&before)
		}
		if err := request(); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	_, err := fmt.Fprintf(out, "%.1f\n", float64(after.Mallocs-before.Mallocs)/count)
	return err
}

// newEngine is an engine of warp.
func newEngine(ctx context.Context, a loopArgs) (func() error, error) {
	store, err := connect.New(s3.Config{
		Hosts: []string{a.Host}, Bucket: "bucket", AccessKey: "AK", SecretKey: "SK", Engine: a.Client,
		TLS: a.TLS, Insecure: true, Concurrency: 1,
	})
	if err != nil {
		return nil, err
	}
	session, body := store.Session(0), bytes.NewReader(make([]byte, a.Size))
	operation := map[string]func(context.Context, s3.Session, *s3.Call) error{
		"get": ops.Get, "put": ops.Put, "stat": ops.Stat, "delete": ops.Delete,
	}[a.Kind]
	var c s3.Call
	return func() error {
		c.Reset()
		c.Key, c.Size, c.Body = "prefix/object", int64(a.Size), body
		return operation(ctx, session, &c)
	}, nil
}

// newBare is a connection and a buffer: what net.Conn and crypto/tls cost by themselves.
func newBare(_ context.Context, a loopArgs) (func() error, error) {
	c, err := net.Dial("tcp", a.Host)
	if err != nil {
		return nil, err
	}
	tcp := c
	if a.TLS {
		c = tls.Client(tcp, &tls.Config{InsecureSkipVerify: true})
	}
	response := make([]byte, 64<<10)
	if a.Kind == "get" {
		head := fmt.Appendf(nil, "GET /bucket/object HTTP/1.1\r\nHost: %s\r\n\r\n", a.Host)
		return func() error {
			if _, err := c.Write(head); err != nil {
				return err
			}
			return readResponse(c, response, a.Size)
		}, nil
	}
	head := fmt.Appendf(nil, "PUT /bucket/object HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", a.Host, a.Size)
	body, whole := make([]byte, a.Size), append(head, make([]byte, a.Size)...)
	return func() error {
		if a.TLS {
			_, err = c.Write(whole)
		} else {
			both := net.Buffers{head, body}
			_, err = both.WriteTo(tcp)
		}
		if err != nil {
			return err
		}
		return readResponse(c, response, 0)
	}, nil
}

// readResponse reads a response with a body of this size into a buffer, again and again over what it held.
func readResponse(r io.Reader, buf []byte, size int) error {
	n, end := 0, -1
	for end < 0 {
		more, err := r.Read(buf[n:])
		if err != nil {
			return err
		}
		n += more
		end = bytes.Index(buf[:n], []byte("\r\n\r\n"))
	}
	for left := size - (n - end - len("\r\n\r\n")); left > 0; left -= n {
		var err error
		if n, err = r.Read(buf); err != nil {
			return err
		}
	}
	return nil
}

// fixedSignature is as long as a real one.
const fixedSignature = "AWS4-HMAC-SHA256 Credential=AK/20130524/us-east-1/s3/aws4_request, " +
	"SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024"

func (a loopArgs) url() string {
	if a.TLS {
		return "https://" + a.Host + "/bucket/prefix/object"
	}
	return "http://" + a.Host + "/bucket/prefix/object"
}

func (a loopArgs) method() string { return methods[a.Kind] }

func newFastHTTP(_ context.Context, a loopArgs) (func() error, error) {
	c := &fasthttp.HostClient{Addr: a.Host, IsTLS: a.TLS, TLSConfig: &tls.Config{InsecureSkipVerify: true}, MaxConns: 1}
	req, resp, body := fasthttp.AcquireRequest(), fasthttp.AcquireResponse(), make([]byte, a.Size)
	return func() error {
		req.Reset()
		req.SetRequestURI(a.url())
		req.Header.SetMethod(a.method())
		req.Header.Set("X-Amz-Date", "20130524T000000Z")
		req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
		req.Header.Set("Authorization", fixedSignature)
		if a.Kind == "put" {
			req.SetBodyRaw(body)
		}
		return cmp.Or(c.Do(req, resp), wrongStatus(resp.StatusCode()))
	}, nil
}

func newNetHTTP(_ context.Context, a loopArgs) (func() error, error) {
	c := &http.Client{Transport: &http.Transport{
		DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	body := make([]byte, a.Size)
	return func() error {
		req, err := http.NewRequest(a.method(), a.url(), nil)
		if err != nil {
			return err
		}
		if a.Kind == "put" {
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
		if a.Client == "net/http" {
			req.Header.Set("X-Amz-Date", "20130524T000000Z")
			req.Header.Set("Authorization", fixedSignature)
		} else {
			req = signer.SignV4(*req, "AK", "SK", "", "us-east-1")
		}
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return errors.Join(err, resp.Body.Close(), wrongStatus(resp.StatusCode))
	}, nil
}

func wrongStatus(status int) error {
	if status/100 == 2 {
		return nil
	}
	return errors.New("status " + strconv.Itoa(status))
}
