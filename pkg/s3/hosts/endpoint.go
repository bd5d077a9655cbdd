package hosts

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/pkg/s3"
)

// Endpoint is the bucket on one host.
type Endpoint struct {
	URL     string  // of the host
	Region  string  // that is signed for
	Bucket  url.URL // without a slash at its end
	Virtual bool    // the bucket is part of the host's name
	Address string  // host:port of connections
}

// NewEndpoint says where the bucket is on a host.
func NewEndpoint(c *s3.Config, host string) (*Endpoint, error) {
	e := &Endpoint{URL: c.HostURL(host)}
	name, err := c.ZonalHost(c.NameOf(host))
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(c.HostURL(name))
	switch {
	case err != nil:
		return nil, err
	case u.Hostname() == "" || u.Path != "" || u.RawQuery != "" || u.User != nil:
		return nil, errors.New("not a host name with or without a port")
	}
	e.Region, e.Bucket = cmp.Or(c.Region, s3utils.GetRegionFromURL(*u), s3.DefaultRegion), *u
	e.Bucket.Host = header(u)
	if name = "s3.amazonaws.com"; e.Bucket.Host == name && e.Region != s3.DefaultRegion { // that one is of the default region
		e.Bucket.Host = "s3." + e.Region + ".amazonaws.com"
	}
	google := c.Store == s3.StoreGCS
	if google { // a region is where it makes buckets, and not signed for
		e.Region = "auto"
	}
	e.Virtual = c.Bucket != "" && !google && c.Buckets <= 1 && !c.OtherBuckets &&
		(c.Lookup == "host" || c.Lookup == "" && s3utils.IsVirtualHostSupported(*u, c.Bucket))
	switch {
	case e.Virtual:
		e.Bucket.Host = c.Bucket + "." + e.Bucket.Host
	case c.Bucket != "":
		e.Bucket.Path = c.Root + "/" + c.Bucket
	}
	e.Address = e.Bucket.Host
	if c.Names[host] != "" || !e.Virtual {
		e.Address = host
	}
	e.Address = c.WithPort(e.Address)
	return e, nil
}

// header returns the host of a URL as clients write it into the header Host.
func header(u *url.URL) string {
	name, port, err := net.SplitHostPort(u.Host)
	if err != nil || (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		return u.Host
	}
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}

// Port is the port of a URL, which is the scheme's if none is given.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
