package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

const (
	// maxRedirects is how many redirects of one request are followed.
	maxRedirects = 5
	// maxElsewhere is to how many hosts beside those of the store a session follows redirects.
	maxElsewhere = 32
)

// redirects are what a session keeps to follow redirects that leave method and body as they are (statuses 307 and 308).
type redirects struct {
	request exchange.Request // the one that was redirected, as it is sent next
	at      *url.URL         // where it was sent to last
	targets map[string]int   // of the client, by the root of their host and their region
}

// redirected reports whether the response redirects the request. One whose status is expected is an outcome.
func redirected(s *session, c *Call) bool {
	return (c.Status == http.StatusTemporaryRedirect || c.Status == http.StatusPermanentRedirect) &&
		!slices.Contains(c.Expected, c.Status) && len(s.client.Header("location")) > 0
}

// follow sends the request again, with a new signature, wherever responses redirect it to.
func follow(ctx context.Context, s *session, c *Call, host int) error {
	if s.redirects == nil {
		s.redirects = &redirects{targets: map[string]int{}}
	}
	r := s.redirects
	r.request, r.at = s.req, s.req.URL(s.store.endpoints[host].bucket)
	for n := 1; redirected(s, c); n++ {
		to, start := string(s.client.Header("location")), s.client.Result().Start
		region := cmp.Or(string(s.client.Header("x-amz-bucket-region")), s.store.endpoints[host].region)
		_, err := s.client.Discard()
		s.client.Finish()
		if err != nil {
			return err
		}
		c.Redirects++
		if s.store.cfg.Debug != nil {
			s.store.cfg.Debug("%s %s %d redirected to %s", s.req.Method, withoutQuery(r.at.String()), c.Status, withoutQuery(to))
		}
		target, err := redirect(s, c, to, host, region)
		switch {
		case err != nil:
		case n > maxRedirects:
			err = fmt.Errorf("more than %d redirects", maxRedirects)
		}
		if err != nil {
			return &Error{Class: ClassRedirect, Status: c.Status, Message: oneLine(fmt.Sprintf("%v: %s", err, withoutQuery(to)))}
		}
		err = s.client.Do(ctx, target, &r.request)
		s.note(c)
		c.Redirected += s.client.Result().Start.Sub(start)
		if err != nil {
			return err
		}
	}
	return nil
}

// redirect changes the request to what the location says, and returns the target of the client to send it to.
func redirect(s *session, c *Call, location string, host int, region string) (target int, err error) {
	r := s.redirects
	to, err := r.at.Parse(location)
	switch {
	case err != nil:
		return 0, errors.New("invalid location")
	case to.Scheme != "http" && to.Scheme != "https" || to.Host == "":
		return 0, errors.New("invalid location (want an http or https URL)")
	case r.at.Scheme == "https" && to.Scheme == "http":
		return 0, errors.New("from TLS to plain HTTP") // which would carry the session token, and keys of SSE-C
	}
	query, err := url.ParseQuery(to.RawQuery)
	if err != nil {
		return 0, errors.New("invalid location")
	}
	r.request.Query, r.request.Unsigned = redirectQuery(s, c, query)
	r.at, r.request.Bucket = to, "" // which is part of the target, or of the key
	for i := range s.store.endpoints {
		i = (host + i) % len(s.store.endpoints)
		at := &s.store.endpoints[i].bucket
		if key, within := strings.CutPrefix(to.Path, cmp.Or(s.req.Bucket, at.Path)+"/"); within && to.Scheme == at.Scheme && hostHeader(to) == at.Host {
			r.request.Key, r.request.Bucket = key, s.req.Bucket
			return i, nil
		}
	}
	r.request.Key = strings.TrimPrefix(to.Path, "/")
	root := url.URL{Scheme: to.Scheme, Host: hostHeader(to)}
	region = cmp.Or(s3utils.GetRegionFromURL(root), region)
	target, known := r.targets[root.String()+" "+region]
	if known {
		return target, nil
	}
	if !mayFollow(s.store, to) {
		return 0, errForeign
	}
	if len(r.targets) == maxElsewhere {
		return 0, fmt.Errorf("redirects to more than %d other hosts", maxElsewhere)
	}
	if target, err = s.client.AddTarget(root, region); err == nil {
		r.targets[root.String()+" "+region] = target
	}
	return target, err
}

// errForeign is the error of a redirect to a host that may belong to somebody else.
var errForeign = errors.New("to a host of another owner, which would get the signature, and with it session tokens and keys (add it to --redirect-to if that is right)")

// mayFollow reports whether a request may be sent to where a server redirects it: to a host of the run, to one of the same owner at the same
// port, or to one that the user allows. An upgrade from port 80 to 443 is the same port.
func mayFollow(s *store, to *url.URL) bool {
	port := portOf(to)
	allowed := func(host string) bool {
		name, p, err := net.SplitHostPort(s.cfg.WithPort(host))
		return err == nil && (p == port || p == "80" && port == "443") && target.Related(name, to.Hostname())
	}
	for i, e := range s.endpoints {
		if allowed(s.cfg.Hosts[i]) || allowed(e.bucket.Host) {
			return true
		}
	}
	return slices.ContainsFunc(s.cfg.RedirectTo, allowed)
}

// portOf is the port of a URL, which is the scheme's if none is given.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// redirectQuery returns the query of a redirected request, and whether its engine must not sign it: it is a form, which holds its
// signature, or the server signed the location. A signature of ours, which is of another host, is replaced by one in the header.
func redirectQuery(s *session, c *Call, values url.Values) (query []Param, unsigned bool) {
	signature := values.Get("X-Amz-Signature")
	ours := signature != "" && slices.Contains(s.req.Query, Param{Name: "X-Amz-Signature", Value: signature})
	for name, all := range values {
		if ours && slices.Contains(presignParams, name) {
			continue
		}
		for _, value := range all {
			query = append(query, Param{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(query, compareParams)
	return query, c.Auth == AuthForm || !ours && (signature != "" || values.Has("Signature"))
}

// presignParams are the parameters of a URL that is signed ahead.
var presignParams = []string{
	"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature", "X-Amz-Security-Token",
}

// withoutQuery cuts the query, which may hold a signature.
func withoutQuery(location string) string {
	path, _, _ := strings.Cut(location, "?")
	return path
}
