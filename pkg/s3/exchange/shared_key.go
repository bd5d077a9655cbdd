package exchange

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SignSharedKey signs a request with the key of an account of Azure. Package lean has code of its own, on purpose: each checks the other.
func SignSharedKey(req *http.Request, k *Keys, now time.Time) error {
	key, err := k.AccountKey()
	if err == nil {
		err = k.Check("")
	}
	if err != nil {
		return err
	}
	req.Header.Set("X-Ms-Date", now.UTC().Format(http.TimeFormat))
	resource, err := canonicalResource(req.URL, k.Access)
	if err != nil {
		return err
	}
	length := ""
	if req.ContentLength > 0 {
		length = strconv.FormatInt(req.ContentLength, 10)
	}
	h := req.Header
	lines := []string{
		req.Method, h.Get("Content-Encoding"), h.Get("Content-Language"), length, h.Get("Content-Md5"), h.Get("Content-Type"), h.Get("Date"),
		h.Get("If-Modified-Since"), h.Get("If-Match"), h.Get("If-None-Match"), h.Get("If-Unmodified-Since"), h.Get("Range"),
	}
	lines = append(append(lines, microsoftHeaders(h)...), resource)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(lines, "\n")))
	h.Set("Authorization", "SharedKey "+k.Access+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// microsoftHeaders returns the headers x-ms-*, name:value, in the order of the signature: by a key without hyphens, where an underscore
// stands before digits and these before letters.
func microsoftHeaders(h http.Header) (lines []string) {
	type header struct{ name, key string }
	order := strings.NewReplacer("-", "", "_", " ")
	var all []header
	for name := range h {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			all = append(all, header{lower, order.Replace(lower)})
		}
	}
	slices.SortFunc(all, func(a, b header) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	for _, one := range all {
		lines = append(lines, one.name+":"+string(AppendCanonical(nil, h.Get(one.name))))
	}
	return lines
}

// canonicalResource returns what the signature says of the address.
func canonicalResource(u *url.URL, account string) (string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", fmt.Errorf("query: %w", err)
	}
	text := "/" + account + u.EscapedPath()
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		slices.Sort(query[name])
		text += "\n" + strings.ToLower(name) + ":" + strings.Join(query[name], ",")
	}
	return text, nil
}
