package target

import (
	"errors"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// amazonS3 matches the names of S3 at Amazon, and of nothing else there: other names below amazonaws.com are given to customers.
var amazonS3 = regexp.MustCompile(`(^|\.)s3[a-z0-9-]*(\.dualstack)?(\.[a-z]{2}(-[a-z]+)+-[0-9]+)?\.amazonaws\.com(\.cn)?$`)

// Related reports whether two names of hosts, without ports, belong to one owner: they are the same, one is below the other, they have the
// same registrable domain, or both are S3 at Amazon. Without a registrable domain, as in a private network, they must differ in their first
// label only, of three or more. An IP address is related to itself alone.
func Related(known, other string) bool {
	known, other = strings.ToLower(strings.TrimSuffix(known, ".")), strings.ToLower(strings.TrimSuffix(other, "."))
	if known == other {
		return true
	}
	if isAddress(known) || isAddress(other) {
		return false
	}
	if strings.HasSuffix(other, "."+known) || amazonS3.MatchString(known) && amazonS3.MatchString(other) {
		return true
	}
	owner := ownerOf(known)
	return owner != "" && owner == ownerOf(other)
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil
}

// ownerOf returns the registered domain that a name is below; empty if there is none.
func ownerOf(name string) string {
	suffix, official := publicsuffix.PublicSuffix(name)
	if official || strings.Contains(suffix, ".") {
		domain, _ := publicsuffix.EffectiveTLDPlusOne(name) // an error comes with an empty domain
		return domain
	}
	if _, parent, _ := strings.Cut(name, "."); strings.Contains(parent, ".") {
		return parent
	}
	return ""
}

// errForeignRedirect is the error of a request with a secret that is redirected.
var errForeignRedirect = errors.New("redirected to another host, which is not told the secret; name that one if it is right")

// SameOrigin is a CheckRedirect of http.Client for requests with a secret: it may not leave its scheme, host and port.
func SameOrigin(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		return errForeignRedirect
	}
	if len(via) > 5 {
		return errors.New("more than 5 redirects")
	}
	return nil
}
