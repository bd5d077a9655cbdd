package gcsjson

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warp/internal/responder"
)

const (
	maxPage  = 1000
	maxBatch = 100
)

// list lists objects, or all generations. The token of a page is the place of its first name.
func (s *Store) list(q *request, b *bucket) response {
	if q.method != http.MethodGet {
		return fails(http.StatusMethodNotAllowed, "")
	}
	limit := maxPage
	if n, err := strconv.Atoi(q.query.Get("maxResults")); err == nil && n > 0 {
		limit = min(n, maxPage)
	}
	token, err := base64.URLEncoding.DecodeString(q.query.Get("pageToken"))
	if err != nil {
		return fails(http.StatusBadRequest, "")
	}
	after, empty := strings.CutPrefix(string(token), "+")
	if s.EmptyPages && !empty {
		return response{status: http.StatusOK, document: page(nil, nil, "+"+after)}
	}
	prefix, delimiter, start := q.query.Get("prefix"), q.query.Get("delimiter"), q.query.Get("startOffset")
	var items []any
	var prefixes []string
	for _, key := range slices.Sorted(maps.Keys(b.names)) {
		if !strings.HasPrefix(key, prefix) || key < start || key <= after || rolled(key, after, delimiter) {
			continue
		}
		n := b.names[key]
		all := n.older
		if q.query.Get("versions") != "true" {
			all = nil
		}
		if n.current != nil {
			all = append(slices.Clone(all), n.current)
		}
		if len(all) == 0 {
			continue
		}
		if len(items)+len(prefixes) > 0 && len(items)+len(prefixes)+len(all) > limit {
			return response{status: http.StatusOK, document: page(items, prefixes, after)}
		}
		after = key
		if head, _, found := strings.Cut(key[len(prefix):], delimiter); delimiter != "" && found {
			after = prefix + head + delimiter
			prefixes = append(prefixes, after)
			continue
		}
		for _, o := range all {
			items = append(items, s.resource(q.bucket, o))
		}
	}
	return response{status: http.StatusOK, document: page(items, prefixes, "")}
}

// rolled reports whether a key is part of the prefix that a page ended with.
func rolled(key, after, delimiter string) bool {
	return delimiter != "" && strings.HasSuffix(after, delimiter) && strings.HasPrefix(key, after)
}

// page is a page of a listing; what is empty is left out.
func page(items []any, prefixes []string, next string) map[string]any {
	all := map[string]any{"kind": "storage#objects"}
	if len(items) > 0 {
		all["items"] = items
	}
	if len(prefixes) > 0 {
		all["prefixes"] = prefixes
	}
	if next != "" {
		all["nextPageToken"] = base64.URLEncoding.EncodeToString([]byte(next))
	}
	return all
}

// batch performs the deletions in a body.
func (s *Store) batch(q *request) response {
	const boundary = "batch_response"
	var out bytes.Buffer
	ok := responder.EachInBatch(q.header.Get("Content-Type"), q.document, maxBatch, func(n int, part *multipart.Part) {
		a := s.inBatch(q, part, n)
		id := strings.Replace(part.Header.Get("Content-Id"), "<", "<response-", 1)
		fmt.Fprintf(&out, "--%s\r\nContent-Type: application/http\r\nContent-ID: %s\r\n\r\nHTTP/1.1 %d %s\r\n",
			boundary, id, a.status, http.StatusText(a.status))
		if a.status < http.StatusBadRequest {
			out.WriteString("Content-Length: 0\r\n\r\n\r\n")
			return
		}
		text, _ := json.Marshal(errorOf(a.status, a.code)) // it has a form
		fmt.Fprintf(&out, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\r\n", len(text), text)
	})
	if !ok {
		return fails(http.StatusBadRequest, "")
	}
	fmt.Fprintf(&out, "--%s--\r\n", boundary)
	return response{status: http.StatusOK, text: out.Bytes(), header: http.Header{"Content-Type": {"multipart/mixed; boundary=" + boundary}}}
}

// inBatch performs one deletion of a batch.
func (s *Store) inBatch(q *request, part io.Reader, count int) response {
	r, err := http.ReadRequest(bufio.NewReader(part))
	if err != nil || r.Method != http.MethodDelete {
		return fails(http.StatusBadRequest, "")
	}
	one := parse(r)
	one.query = r.URL.Query()
	b := s.buckets[one.bucket]
	switch {
	case one.key == "" || one.action != "":
		return fails(http.StatusBadRequest, "")
	case b == nil:
		return fails(http.StatusNotFound, noBucket)
	case count < q.refuse:
		return fails(http.StatusForbidden, cmp.Or(q.code, "forbidden"))
	}
	return s.onObject(&one, b)
}
