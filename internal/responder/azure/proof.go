package azure

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"warp/internal/clock"
)

// skew is how far the date of a request may be off.
const skew = 15 * time.Minute

// Codes of refusals.
const (
	notAuthentic  = "AuthenticationFailed"
	notPermitted  = "AuthorizationPermissionMismatch"
	notOfResource = "AuthorizationResourceTypeMismatch"
	noProof       = "NoAuthenticationInformation"
)

// Proof is what a request was proven by.
type Proof struct {
	Code string     // of the refusal; empty: it is authentic
	sas  url.Values // nil: it is signed, or there is a token
}

// mac signs a text with the key of the account.
func mac(text string) string {
	key, _ := base64.StdEncoding.DecodeString(Key)
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(text)) // it never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// Check checks who sent a request, which has a body of some length. The path is as it was sent.
func (s *Store) Check(method, path, query string, h http.Header, length string) Proof {
	values, err := url.ParseQuery(query)
	scheme, proof, _ := strings.Cut(h.Get("Authorization"), " ")
	switch {
	case err != nil:
		return Proof{Code: notAuthentic}
	case scheme == "SharedKey":
		at, err := http.ParseTime(h.Get("X-Ms-Date"))
		if err != nil || clock.Wall().Sub(at).Abs() > skew || proof != Account+":"+mac(textOf(method, path, values, h, length)) {
			return Proof{Code: notAuthentic}
		}
	case scheme == "Bearer" && s.Token != "" && proof == s.Token, scheme == "" && s.Public && !values.Has("sig"):
	case scheme == "" && values.Has("sig"):
		if code := checkSAS(values, path); code != "" {
			return Proof{Code: code}
		}
		return Proof{sas: values}
	case scheme == "":
		return Proof{Code: noProof}
	default:
		return Proof{Code: notAuthentic}
	}
	return Proof{}
}

// textOf is what SharedKey signs of a request.
func textOf(method, path string, query url.Values, h http.Header, length string) string {
	var b strings.Builder
	b.WriteString(method + "\n")
	for _, name := range []string{
		"Content-Encoding", "Content-Language", "Content-Length", "Content-Md5", "Content-Type", "Date", "If-Modified-Since", "If-Match",
		"If-None-Match", "If-Unmodified-Since", "Range",
	} {
		switch value := h.Get(name); {
		case name == "Content-Length" && length != "0":
			b.WriteString(length)
		case name == "Date" && h.Get("X-Ms-Date") != "", name == "Content-Length":
		default:
			b.WriteString(value)
		}
		b.WriteByte('\n')
	}
	names := []string{}
	for name := range h {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			names = append(names, lower)
		}
	}
	slices.SortFunc(names, collate)
	for _, name := range names {
		b.WriteString(name + ":" + strings.Join(strings.Fields(strings.Join(h.Values(name), ",")), " ") + "\n")
	}
	b.WriteString("/" + Account + path)
	params := map[string][]string{}
	for name, all := range query {
		lower := strings.ToLower(name)
		params[lower] = append(params[lower], all...)
	}
	sorted := make([]string, 0, len(params))
	for name := range params {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		slices.Sort(params[name])
		b.WriteString("\n" + name + ":" + strings.Join(params[name], ","))
	}
	return b.String()
}

// collate compares names of headers as the service sorts them: hyphens count only if all else is equal, other signs stand before digits,
// and these before letters.
func collate(a, b string) int {
	rank := func(name string) (ranks []int) {
		for _, c := range []byte(name) {
			switch {
			case c == '-':
			case 'a' <= c && c <= 'z':
				ranks = append(ranks, 2<<8+int(c))
			case '0' <= c && c <= '9':
				ranks = append(ranks, 1<<8+int(c))
			case c == '_':
				ranks = append(ranks, 0)
			default:
				ranks = append(ranks, int(c))
			}
		}
		return ranks
	}
	return cmp.Or(slices.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// checkSAS returns what is wrong with the token in a query.
func checkSAS(q url.Values, path string) (code string) {
	until, err := time.Parse(time.RFC3339, q.Get("se"))
	if err != nil || clock.Wall().After(until) || q.Get("sv") == "" {
		return notAuthentic
	}
	get := q.Get
	of := map[string]string{"bv": get("versionid"), "bs": get("snapshot")}[get("sr")]
	fields := []string{Account, get("sp"), get("ss"), get("srt"), get("st"), get("se"), get("sip"), get("spr"), get("sv"), get("ses"), ""}
	if get("sr") != "" {
		plain, err := url.PathUnescape(strings.TrimPrefix(path, "/"+Account))
		if err != nil {
			return notAuthentic
		}
		if get("sr") == "c" {
			container, _, _ := strings.Cut(strings.TrimPrefix(plain, "/"), "/")
			plain = "/" + container
		}
		fields = []string{
			get("sp"), get("st"), get("se"), "/blob/" + Account + plain, get("si"), get("sip"), get("spr"), get("sv"), get("sr"),
			of, get("ses"), get("rscc"), get("rscd"), get("rsce"), get("rscl"), get("rsct"),
		}
	}
	if mac(strings.Join(fields, "\n")) != get("sig") {
		return notAuthentic
	}
	return ""
}

// AccountSAS returns a token for the whole account with some rights.
func AccountSAS(rights string) string {
	const until = "2099-01-01T00:00:00Z"
	text := strings.Join([]string{Account, rights, "b", "sco", "", until, "", "", Version, "", ""}, "\n")
	return url.Values{"sp": {rights}, "ss": {"b"}, "srt": {"sco"}, "se": {until}, "sv": {Version}, "sig": {mac(text)}}.Encode()
}

// ContainerSAS returns a token for a container with some rights.
func ContainerSAS(container, rights string) string {
	const until = "2099-01-01T00:00:00Z"
	fields := []string{rights, "", until, "/blob/" + Account + "/" + container, "", "", "", Version, "c", "", "", "", "", "", "", ""}
	q := url.Values{"sp": {rights}, "sr": {"c"}, "se": {until}, "sv": {Version}, "sig": {mac(strings.Join(fields, "\n"))}}
	return q.Encode()
}

// permits returns the code of the refusal of a request that needs one of some rights, on a service, a container or an object.
func (p *Proof) permits(anyOf, resource string) (code string) {
	switch {
	case p.sas == nil:
		return ""
	case !strings.ContainsAny(p.sas.Get("sp"), anyOf):
		return notPermitted
	case p.sas.Get("sr") == "" && !strings.Contains(p.sas.Get("srt"), resource):
		return notOfResource
	case strings.HasPrefix(p.sas.Get("sr"), "b") && resource != "o":
		return notOfResource
	}
	return ""
}
