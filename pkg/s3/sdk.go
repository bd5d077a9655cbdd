package s3

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// defaultRegion is signed with where none is given. Asking each host for its region would cost a request and a right.
const defaultRegion = "us-east-1"

// sdkStore is the engine "sdk": minio-go for objects and buckets, its signer for what minio-go cannot do as one request.
type sdkStore struct {
	cfg    Config
	hosts  []*sdkHost
	pool   pool
	reason string             // why this engine serves; see Store.EngineReason
	idle   []func()           // close idle connections
	sse    encrypt.ServerSide // nil: no encryption
	bucket *sdkBucket
}

// sdkHost is one host of a store.
type sdkHost struct {
	url     string // scheme://host:port
	core    *minio.Core
	wire    *wire
	signer  requestSigner
	bucket  url.URL // of the bucket, as the SDK addresses it
	virtual bool    // the bucket is part of the host name
}

func newSDK(cfg Config) (*sdkStore, error) {
	s := &sdkStore{cfg: cfg, pool: newPool(cfg.HostSelect, len(cfg.Hosts))}
	if cfg.Encrypt {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		sse, err := encrypt.NewSSEC(key)
		if err != nil {
			return nil, fmt.Errorf("SSE-C key: %w", err)
		}
		s.sse = sse
	}
	shared := newTransport(&cfg, "")
	s.idle = append(s.idle, shared.CloseIdleConnections)
	for _, host := range cfg.Hosts {
		t := shared
		if cfg.Names[host] != "" { // the transport would go where the name leads
			t = newTransport(&cfg, host)
			s.idle = append(s.idle, t.CloseIdleConnections)
		}
		h, err := newSDKHost(&s.cfg, host, &wire{base: t, expect: cfg.Expect, debug: cfg.Debug})
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", host, err)
		}
		s.hosts = append(s.hosts, h)
	}
	s.bucket = &sdkBucket{store: s, made: make([]bool, len(s.hosts))}
	return s, nil
}

func newSDKHost(cfg *Config, host string, w *wire) (*sdkHost, error) {
	h := &sdkHost{url: cfg.hostURL(host), wire: w}
	name := cfg.nameOf(host)
	region, err := cfg.regionOf(name)
	if err != nil {
		return nil, err
	}
	h.signer = requestSigner{cfg: cfg, region: region}
	w.signer = h.signer
	opts := minio.Options{
		Creds:        h.signer.credentials(),
		Secure:       cfg.TLS,
		Transport:    w,
		Region:       region,
		BucketLookup: lookups[cfg.Lookup],
		MaxRetries:   1, // tries, not repetitions
	}
	if h.core, err = minio.NewCore(name, &opts); err != nil {
		return nil, err
	}
	h.core.SetAppInfo("warp", "1")
	return h, h.locate(name, opts)
}

// regionOf is the region to sign with: the one that is given, else the one that a name of AWS holds.
func (c *Config) regionOf(name string) (string, error) {
	endpoint, err := url.Parse(c.hostURL(name))
	if err != nil {
		return "", err
	}
	return cmp.Or(c.Region, s3utils.GetRegionFromURL(*endpoint), defaultRegion), nil
}

var lookups = map[string]minio.BucketLookupType{
	"":     minio.BucketLookupAuto,
	"path": minio.BucketLookupPath,
	"host": minio.BucketLookupDNS,
}

// locate finds the URL of the bucket by letting the SDK make a presigned URL of it, which sends nothing. The keys of
// that URL are made up, because the SDK refuses anonymous ones.
func (h *sdkHost) locate(host string, opts minio.Options) error {
	opts.Creds = credentials.NewStatic("x", "x", "", credentials.SignatureV4)
	c, err := minio.New(host, &opts)
	if err != nil {
		return err
	}
	u, err := c.Presign(context.Background(), http.MethodGet, h.signer.cfg.Bucket, "", time.Hour, nil)
	if err != nil {
		return err
	}
	u.RawQuery = ""
	h.bucket, h.virtual = *u, u.Path == "/"
	h.wire.virtual = h.virtual
	return nil
}

// Session makes a session.
func (s *sdkStore) Session(int) Session { return &sdkSession{store: s} }

// Bucket gives access to the bucket.
func (s *sdkStore) Bucket() Bucket { return s.bucket }

// Engine is "sdk".
func (s *sdkStore) Engine() string { return engineSDK }

// EngineReason tells why, where it was not asked for.
func (s *sdkStore) EngineReason() string { return s.reason }

// Hosts are the URLs of all hosts.
func (s *sdkStore) Hosts() []string {
	urls := make([]string, len(s.hosts))
	for i, h := range s.hosts {
		urls[i] = h.url
	}
	return urls
}

// Close closes kept-alive connections. Requests in flight are not ended by it; cancel their contexts.
func (s *sdkStore) Close() {
	for _, closeIdle := range s.idle {
		closeIdle()
	}
}

// encryption are the headers of SSE-C; nil without it.
func (s *sdkStore) encryption() (headers []Header) {
	if s.sse == nil {
		return nil
	}
	h := http.Header{}
	s.sse.Marshal(h)
	for name, values := range h {
		headers = append(headers, Header{Name: name, Value: values[0]})
	}
	return headers
}

// succeeded reports whether the server did what it was asked for.
func (x *exchange) succeeded() bool { return x.err == nil && x.status/100 == 2 }

// outcome is what a request ended with: the error on the wire if there is one, else what the SDK says.
func (x *exchange) outcome(err error) error {
	if x.err != nil {
		return x.err
	}
	if err == nil {
		return nil
	}
	if resp := minio.ToErrorResponse(err); resp.Code != "" {
		e := &Error{Class: classBadAnswer, Status: x.status, Code: cleanCode(resp.Code), Message: oneLine(resp.Error()), Err: err}
		if x.status == 0 {
			e.Class = classBadRequest
		}
		return e
	}
	e := toError(err)
	e.Status = x.status
	if x.status == 0 && e.Class == classNetwork { // nothing was sent: the SDK did not like the request
		e.Class = classBadRequest
	}
	return e
}
