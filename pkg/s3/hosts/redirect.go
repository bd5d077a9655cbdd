package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

const (
	// MaxRedirects is how many redirects of one request are followed.
	MaxRedirects = 5
	// maxRedirectHosts is how many hosts that are not the store's a session follows redirects to.
	maxRedirectHosts = 32
)

// Redirects say where requests are sent that servers redirect and leave method and body as they are (statuses 307 and 308).
type Redirects struct {
	Request exchange.Request // that was redirected, as it is sent next
	At      *url.URL         // where it was sent to last

	cfg       *s3.Config
	endpoints []*Endpoint
	host      int               // that the request was sent to first
	first     *exchange.Request // as it was sent first
	form      bool              // it is a form, which holds its signature
	targets   map[string]int    // of the client, by the root of their host and their region
}

// NewRedirects makes the redirects of a session.
func NewRedirects(cfg *s3.Config, endpoints []*Endpoint) *Redirects {
	return &Redirects{cfg: cfg, endpoints: endpoints, targets: map[string]int{}}
}

// Begin begins with a request to a host.
func (r *Redirects) Begin(q *exchange.Request, host int, form bool) {
	r.Request, r.At = *q, q.URL(r.endpoints[host].Bucket)
	r.first, r.host, r.form = q, host, form
}

// Follow changes the request to what the location says, and returns the target of the client to send it to. The region is what the
// server states; if it states none, that of the host counts.
func (r *Redirects) Follow(client exchange.Client, location, region string) (target int, err error) {
	to, err := r.At.Parse(location)
	switch {
	case err != nil:
		return 0, errors.New("invalid location")
	case to.Scheme != "http" && to.Scheme != "https" || to.Host == "":
		return 0, errors.New("invalid location (want an http or https URL)")
	case r.At.Scheme == "https" && to.Scheme == "http":
		return 0, errors.New("from TLS to plain HTTP") // which would carry the session token, and keys of SSE-C
	}
	query, err := url.ParseQuery(to.RawQuery)
	if err != nil {
		return 0, errors.New("invalid location")
	}
	r.Request.Query, r.Request.Unsigned = r.query(query)
	r.At, r.Request.Bucket, r.Request.Path, r.Request.Suffix = to, "", nil, "" // which is part of the target, or of the key
	if r.first.Segment {
		r.Request.Path = []byte(to.EscapedPath())
	}
	for i := range r.endpoints {
		i = (r.host + i) % len(r.endpoints)
		at := &r.endpoints[i].Bucket
		key, within := strings.CutPrefix(to.Path, cmp.Or(r.first.Bucket, at.Path)+"/")
		if within && to.Scheme == at.Scheme && header(to) == at.Host {
			r.Request.Key, r.Request.Bucket = key, r.first.Bucket
			return i, nil
		}
	}
	r.Request.Key = strings.TrimPrefix(to.Path, "/")
	return r.foreign(client, to, cmp.Or(region, r.endpoints[r.host].Region))
}

// foreign returns the target of a host that is not one of the store's.
func (r *Redirects) foreign(client exchange.Client, to *url.URL, region string) (target int, err error) {
	root := url.URL{Scheme: to.Scheme, Host: header(to)}
	region = cmp.Or(s3utils.GetRegionFromURL(root), region)
	id := root.String() + " " + region
	target, known := r.targets[id]
	switch {
	case known:
		return target, nil
	case !r.allows(to):
		return 0, errForeign
	case len(r.targets) == maxRedirectHosts:
		return 0, fmt.Errorf("redirects to more than %d other hosts", maxRedirectHosts)
	}
	if target, err = client.AddTarget(root, region); err == nil {
		r.targets[id] = target
	}
	return target, err
}

// errForeign is the error of a redirect to a host that may belong to somebody else.
var errForeign = errors.New("to a host of another owner, which would get the signature, and with it session tokens and keys " +
	"(add it to --redirect-to if that is right)")

// allows reports whether a request may be sent to where a server redirects it: to a host of the run, to one of the same owner at the same
// port, or to one that the user allows. An upgrade from port 80 to 443 is the same port.
func (r *Redirects) allows(to *url.URL) bool {
	port := Port(to)
	allowed := func(host string) bool {
		name, p, err := net.SplitHostPort(r.cfg.WithPort(host))
		return err == nil && (p == port || p == "80" && port == "443") && target.Related(name, to.Hostname())
	}
	for i, e := range r.endpoints {
		if allowed(r.cfg.Hosts[i]) || allowed(e.Bucket.Host) {
			return true
		}
	}
	return slices.ContainsFunc(r.cfg.RedirectTo, allowed)
}

// query returns the query of a redirected request, and whether its engine must not sign it: it is a form, or the server signed the
// location. A signature of ours, which is of another host, is replaced by one in the header.
func (r *Redirects) query(values url.Values) (query []s3.Param, unsigned bool) {
	signature := values.Get("X-Amz-Signature")
	ours := signature != "" && slices.Contains(r.first.Query, s3.Param{Name: "X-Amz-Signature", Value: signature})
	for name, all := range values {
		if ours && slices.Contains(presignParams, name) {
			continue
		}
		for _, value := range all {
			query = append(query, s3.Param{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(query, s3.Param.Compare)
	return query, r.form || !ours && (signature != "" || values.Has("Signature"))
}

// presignParams are the parameters of a URL that is signed ahead.
var presignParams = []string{
	"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature", "X-Amz-Security-Token",
}
