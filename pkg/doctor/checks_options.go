package doctor

import (
	"bytes"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
)

// partSize is the shortest part that S3 allows, but for the last one.
const partSize = 5 << 20

func tryMultipart(t *trial) verdict {
	key, lastPart := t.prefix+"parts", content
	c := &s3.Call{Key: key}
	id, err := s3.CreateUpload(t.ctx, t.host.session, c)
	if err != nil {
		return judge(err)
	}
	t.host.uploads = append(t.host.uploads, s3.Upload{Key: key, ID: id})
	t.host.add(key)
	var parts []s3.Part
	for i, body := range [][]byte{make([]byte, partSize), lastPart} {
		*c = s3.Call{Key: key, Body: bytes.NewReader(body), Size: int64(len(body))}
		part, err := s3.PutPart(t.ctx, t.host.session, c, id, i+1)
		if err != nil {
			return judge(err)
		}
		parts = append(parts, part)
	}
	*c = s3.Call{Key: key}
	if err := s3.CompleteUpload(t.ctx, t.host.session, c, id, parts); err != nil {
		return judge(err)
	}
	r, err := t.send(request{method: http.MethodGet, key: "parts", offset: partSize, length: int64(len(content))})
	if err != nil || !bytes.Equal(r.text, content) {
		return ignored(c.Status, "the object differs from its parts")
	}
	t.host.uploads, t.parts = nil, true
	return yes("")
}

// tryCopyPart copies a range of the object of several parts.
func tryCopyPart(t *trial) verdict {
	if !t.parts {
		return verdict{result: Untried, detail: "there is no object of several parts"}
	}
	key := t.prefix + "part-copy"
	c := &s3.Call{Key: key}
	id, err := s3.CreateUpload(t.ctx, t.host.session, c)
	if err != nil {
		return judge(err)
	}
	t.host.uploads = append(t.host.uploads, s3.Upload{Key: key, ID: id})
	t.host.add(key)
	*c = s3.Call{Key: key, Offset: partSize, Length: int64(len(content))}
	source := s3.CopySource(t.bucket.Name, s3.ObjectID{Key: t.prefix + "parts"})
	part, err := s3.CopyPart(t.ctx, t.host.session, c, &s3.Document{}, source, id, 1)
	if err != nil {
		return judge(err)
	}
	*c = s3.Call{Key: key}
	if err := s3.CompleteUpload(t.ctx, t.host.session, c, id, []s3.Part{part}); err != nil {
		return judge(err)
	}
	t.host.uploads = slices.DeleteFunc(t.host.uploads, func(u s3.Upload) bool { return u.ID == id })
	if got, err := t.read("part-copy"); err != nil || !bytes.Equal(got.text, content) {
		return ignored(c.Status, "the copy differs")
	}
	return yes("")
}

func tryListUploads(t *trial) verdict {
	key := t.prefix + "unfinished"
	id, err := s3.CreateUpload(t.ctx, t.host.session, &s3.Call{Key: key})
	if err != nil {
		return judge(err)
	}
	t.upload = id
	t.host.uploads = append(t.host.uploads, s3.Upload{Key: key, ID: id})
	l := &s3.Listing{Prefix: t.prefix, Uploads: true}
	c := &s3.Call{}
	if err := s3.List(t.ctx, t.host.session, c, l); err != nil {
		return judge(err)
	}
	if !slices.ContainsFunc(l.Entries, func(e s3.Entry) bool { return e.Key == key }) {
		return ignored(c.Status, "an unfinished upload is not listed")
	}
	return yes("")
}

func tryAbort(t *trial) verdict {
	if t.upload == "" {
		return verdict{result: Untried, detail: "there is no upload"}
	}
	c := &s3.Call{Key: t.prefix + "unfinished"}
	err := s3.AbortUpload(t.ctx, t.host.session, c, t.upload)
	if err == nil {
		t.host.uploads = slices.DeleteFunc(t.host.uploads, func(u s3.Upload) bool { return u.ID == t.upload })
	}
	return judge(err)
}

func tryGetPart(t *trial) verdict {
	if !t.parts {
		return verdict{result: Untried, detail: "there is no object of several parts"}
	}
	r, err := t.send(request{method: http.MethodGet, key: "parts", query: query("partNumber", "2")})
	switch {
	case err != nil:
		return judge(err)
	case !bytes.Equal(r.text, content):
		return ignored(r.Status, "the whole object is sent")
	}
	return verdict{result: Yes, status: r.Status}
}

func tryPresigned(t *trial) verdict {
	cfg := t.host.cfg
	if v, ok := keyless(cfg); !ok {
		return v
	}
	if v, ok := t.object(); !ok {
		return v
	}
	v := t.with(cfg, request{method: http.MethodGet, key: "a", auth: s3.AuthQuery})
	cfg.Signature = "anonymous"
	if v.result == Yes && !bytes.Equal(v.text, content) {
		return otherContent(v.status, v.text)
	}
	if v.result == Yes && t.with(cfg, request{method: http.MethodGet, key: "a"}).result == Yes {
		v.detail = "objects can be read without a signature too"
	}
	return v
}

// sum is the checksum of some content, as S3 writes it.
func sum(a *checksum.Algorithm, content []byte) string {
	h := a.New()
	_, _ = h.Write(content) // never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// withSum returns a check of an algorithm of checksums in a header.
func withSum(a *checksum.Algorithm) func(t *trial) verdict {
	return func(t *trial) verdict {
		return verified(t, strings.ToLower(a.Name), a.Header, sum(a, content), sum(a, content[1:]))
	}
}

// withUploads returns a check of options of uploads for which the engine encodes or signs contents in another way.
func withUploads(key string, u s3.Uploads) func(t *trial) verdict {
	return func(t *trial) verdict {
		cfg := t.host.cfg
		cfg.Uploads = u
		v := t.with(cfg, request{method: http.MethodPut, key: key, body: content, access: s3.MakesObjects})
		if v.result != Yes {
			return v
		}
		switch r, err := t.read(key); {
		case err != nil:
			return judge(err)
		case bytes.Contains(r.text, []byte("chunk-signature=")), len(r.text) > len(content):
			return ignored(r.Status, "the framing of chunks is stored as contents")
		case !bytes.Equal(r.text, content):
			return ignored(r.Status, "the object came back different")
		}
		return v
	}
}

// verified is a check of a header that an upload must fit: a right one is accepted, and a wrong one refused.
func verified(t *trial, key, header, right, wrong string) verdict {
	if _, err := t.putObject(key, header, right); err != nil {
		return judge(err)
	}
	r, err := t.putObject(key, header, wrong)
	if err == nil {
		return ignored(r.Status, "an upload with a wrong one succeeds")
	}
	if v := judge(err); v.result == Failed {
		return v
	}
	return yes("")
}

// encrypted returns a check of encryption by the server.
func encrypted(key, kind string) func(t *trial) verdict {
	const header = "x-amz-server-side-encryption"
	return func(t *trial) verdict {
		r, err := t.send(request{method: http.MethodPut, key: key, body: content, headers: headers(header, kind), want: []string{header}})
		if err == nil && r.Got[0] != kind { // what a benchmark looks at: some keep the header as metadata
			return ignored(r.Status, "the response to the upload does not confirm it")
		}
		return judge(err)
	}
}

func trySseC(t *trial) verdict {
	if !t.host.cfg.TLS {
		return verdict{result: Untried, detail: "S3 allows it over TLS only"}
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	check := md5.Sum(key)
	const header = "x-amz-server-side-encryption-customer-"
	sse := []string{header + "algorithm", "AES256", header + "key", base64.StdEncoding.EncodeToString(key), header + "key-MD5", base64.StdEncoding.EncodeToString(check[:])}
	if _, err := t.putObject("sse-c", sse...); err != nil {
		return judge(err)
	}
	if r, err := t.read("sse-c"); err == nil {
		return ignored(r.Status, "the object can be read without its key")
	}
	r, err := t.read("sse-c", sse...)
	if err == nil && !bytes.Equal(r.text, content) {
		return ignored(r.Status, "the object came back different")
	}
	return judge(err)
}
