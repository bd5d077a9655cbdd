package doctor

import (
	"bytes"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

func tryListUploads(t *trial) verdict {
	key := t.prefix + "unfinished"
	id, err := ops.CreateUpload(t.ctx, t.host.session, &s3.Call{Key: key})
	if err != nil {
		return judge(err)
	}
	t.upload = id
	t.host.uploads = append(t.host.uploads, ops.Upload{Key: key, ID: id})
	switch found, status, err := t.lists(ops.Listing{Prefix: t.prefix, Uploads: true}, key); {
	case err != nil:
		return judge(err)
	case !found:
		return ignored(status, "an unfinished upload is not listed")
	}
	return yes("")
}

func tryAbort(t *trial) verdict {
	if t.upload == "" {
		return verdict{result: finding.Untried, detail: "there is no upload"}
	}
	c := &s3.Call{Key: t.prefix + "unfinished"}
	err := ops.AbortUpload(t.ctx, t.host.session, c, t.upload)
	if err == nil {
		t.host.uploads = slices.DeleteFunc(t.host.uploads, func(u ops.Upload) bool { return u.ID == t.upload })
	}
	return judge(err)
}

// tryPresigned reads an object by a signed URL, and looks whether a signature is needed.
func tryPresigned(t *trial) verdict {
	v := t.probe(probe.SignedGet)
	cfg := t.host.cfg
	cfg.Signature = "anonymous"
	if v.result == finding.Yes && t.with(cfg, request{method: http.MethodGet, key: objectKey}).result == finding.Yes {
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

// withSum returns a check of an algorithm of checksums: an upload with one is stored, and one with a wrong one refused.
func withSum(u s3.Uploads, a *checksum.Algorithm) func(t *trial) verdict {
	return func(t *trial) verdict {
		if v := t.probeWith(probe.Stored, u); v.result != finding.Yes {
			return v
		}
		r, err := t.putObject(strings.ToLower(a.Name), a.Header, sum(a, content[1:]))
		if err == nil {
			return ignored(r.Status, "an upload with a wrong one succeeds")
		}
		if v := judge(err); v.result == finding.Failed {
			return v
		}
		return yes("")
	}
}

func trySseC(t *trial) verdict {
	if !t.host.cfg.TLS {
		return verdict{result: finding.Untried, detail: "S3 allows it over TLS only"}
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	check := md5.Sum(key)
	const header = "x-amz-server-side-encryption-customer-"
	sse := []string{
		header + "algorithm", "AES256",
		header + "key", base64.StdEncoding.EncodeToString(key),
		header + "key-MD5", base64.StdEncoding.EncodeToString(check[:]),
	}
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
