package azure

import (
	"net/http"
	"net/url"
	"strings"
)

// maxSync is the largest blob that is copied while its client waits.
const maxSync = 256 << 20

// source returns what a request copies, or its refusal. The signature of a request proves that the source may be read if it is copied after
// the response; else the address of the source needs a proof of its own.
func (s *Store) source(q *request) (source *blob, refusal response) {
	u, err := url.Parse(q.header.Get("X-Ms-Copy-Source"))
	if err != nil || u.Host != q.host {
		return nil, fails(http.StatusBadRequest, "InvalidHeaderValue")
	}
	path, ours := strings.CutPrefix(u.Path, "/"+Account+"/")
	container, key, _ := strings.Cut(path, "/")
	if !ours {
		return nil, fails(http.StatusNotFound, "CannotVerifyCopySource")
	}
	of := request{method: http.MethodGet, container: container, key: key, query: u.Query()}
	waits := q.query.Get("comp") == "block" || q.header.Get("X-Ms-Requires-Sync") != ""
	if signed := strings.HasPrefix(q.header.Get("Authorization"), "SharedKey "); waits || !signed {
		of.proof = s.Check(http.MethodGet, u.EscapedPath(), u.RawQuery, http.Header{}, "")
		if of.proof.Code != "" || of.permitted() != "" {
			return nil, fails(http.StatusForbidden, "CannotVerifyCopySource")
		}
	}
	if c := s.containers[container]; c != nil && c.names[key] != nil {
		source = of.version(c.names[key])
	}
	if source == nil {
		return nil, fails(http.StatusNotFound, "CannotVerifyCopySource")
	}
	return source, response{}
}

// copy makes a blob of another one, at once if its client waits; else it is done when it has been looked at some times.
func (s *Store) copy(q *request, c *container, n *name) response {
	source, refusal := s.source(q)
	sync := q.header.Get("X-Ms-Requires-Sync") == "true"
	switch {
	case source == nil:
		return refusal
	case sync && source.size > maxSync:
		return fails(http.StatusConflict, "InvalidBlobSize")
	case n.current != nil && n.current.directory:
		return fails(http.StatusConflict, "ResourceTypeMismatch")
	}
	b := q.newBlob(source.kind)
	b.size, b.content, b.blocks = source.size, source.content, source.blocks
	for name, value := range source.described {
		if _, stated := b.described[name]; !stated {
			b.described[name] = value
		}
	}
	b.described["x-ms-copy-source"], _, _ = strings.Cut(q.header.Get("X-Ms-Copy-Source"), "?")
	if !sync {
		b.pending = s.Pending
	}
	s.put(c, q.key, b)
	a := made(b)
	a.status = http.StatusAccepted
	a.header.Set("X-Ms-Copy-Status", "success")
	if b.pending > 0 {
		a.header.Set("X-Ms-Copy-Status", "pending")
	}
	return a
}

// copyStatus is the state of the copy that made a blob, which a look brings forward.
func (b *blob) copyStatus() string {
	if b.pending == 0 {
		return "success"
	}
	b.pending--
	return "pending"
}
