package azure

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"warp/internal/responder"
)

// maxBatch is how many requests a batch may hold.
const maxBatch = 256

// batch performs the deletions in a body. Each has a proof of its own.
func (s *Store) batch(q *request) response {
	const boundary = "batchresponse_1"
	var b bytes.Buffer
	ok := responder.EachInBatch(q.header.Get("Content-Type"), q.document, maxBatch, func(n int, part *multipart.Part) {
		a := s.inBatch(q, part, n)
		fmt.Fprintf(&b, "--%s\r\nContent-Type: application/http\r\n", boundary)
		if id := part.Header.Get("Content-Id"); id != "" {
			fmt.Fprintf(&b, "Content-ID: %s\r\n", id)
		}
		fmt.Fprintf(&b, "\r\nHTTP/1.1 %d %s\r\nx-ms-version: %s\r\n", a.status, http.StatusText(a.status), Version)
		if a.status < http.StatusBadRequest {
			b.WriteString("\r\n")
			return
		}
		text := document(errorBody{Code: a.code, Message: http.StatusText(a.status)})
		fmt.Fprintf(&b, "x-ms-error-code: %s\r\nContent-Length: %d\r\nContent-Type: application/xml\r\n\r\n%s\r\n", a.code, len(text), text)
	})
	if !ok {
		return fails(http.StatusBadRequest, "InvalidInput")
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return response{
		status: http.StatusAccepted, document: b.Bytes(), header: http.Header{"Content-Type": {"multipart/mixed; boundary=" + boundary}},
	}
}

// inBatch performs one deletion of a batch.
func (s *Store) inBatch(q *request, part io.Reader, count int) response {
	// The empty line that ends a header may be that before the next part.
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(part, strings.NewReader("\r\n\r\n"))))
	if err != nil || r.Method != http.MethodDelete {
		return fails(http.StatusBadRequest, "InvalidInput")
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	container, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"+Account+"/"), "/")
	one := request{method: r.Method, container: container, key: key, query: r.URL.Query(), header: r.Header}
	one.proof = s.Check(r.Method, path, r.URL.RawQuery, r.Header, "0")
	switch code := cmp.Or(one.proof.Code, one.permitted()); {
	case code != "":
		return fails(http.StatusForbidden, code)
	case r.Header.Get("X-Ms-Version") != "":
		return fails(http.StatusBadRequest, "InvalidInput")
	case q.container != "" && container != q.container || key == "":
		return fails(http.StatusBadRequest, "InvalidInput")
	case count < q.refuse:
		return fails(http.StatusForbidden, cmp.Or(q.code, codes[http.StatusForbidden]))
	}
	c := s.containers[container]
	if c == nil {
		return fails(http.StatusNotFound, "ContainerNotFound")
	}
	n := c.of(key)
	defer c.tidy(key)
	if refusal, refused := n.leased(&one); refused {
		return refusal
	}
	return s.delete(&one, c, n)
}
