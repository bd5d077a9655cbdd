package doctor

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"net/http"

	"warp/pkg/s3"
)

// keyless is the verdict of a check that signs requests ahead, if there is nothing to sign with; ok is false then.
func keyless(cfg s3.Config) (v verdict, ok bool) {
	if cfg.Anonymous() || cfg.Signature == "S3V2" {
		return verdict{result: Untried, detail: "it needs keys and signature version 4"}, false
	}
	return verdict{}, true
}

// newCall prepares a request for an object that may exist from then on.
func newCall(t *trial, key string, body []byte) *s3.Call {
	t.host.add(t.prefix + key)
	return &s3.Call{Key: t.prefix + key, Body: bytes.NewReader(body), Size: int64(len(body))}
}

// holds makes sure that an object has the content; otherwise detail says what is wrong.
func holds(t *trial, status int, key, detail string) verdict {
	if r, err := t.read(key); err != nil || !bytes.Equal(r.text, content) {
		return ignored(status, "%s", detail)
	}
	return yes("")
}

func tryPost(t *trial) verdict {
	if v, ok := keyless(t.host.cfg); !ok {
		return v
	}
	c := newCall(t, "post", content)
	if err := s3.Post(t.ctx, t.host.session, c); err != nil {
		return judge(err)
	}
	return holds(t, c.Status, "post", "the object is not what the form holds")
}

func tryPresignedPut(t *trial) verdict {
	if v, ok := keyless(t.host.cfg); !ok {
		return v
	}
	r, err := t.send(request{method: http.MethodPut, key: "presigned", body: content, auth: s3.AuthQuery})
	if err != nil {
		return judge(err)
	}
	return holds(t, r.Status, "presigned", "the object came back different")
}

// tryArchive uploads an archive, which the server must extract.
func tryArchive(t *trial) verdict {
	var text bytes.Buffer
	a := tar.NewWriter(&text)
	err := a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: t.prefix + "extracted", Size: int64(len(content)), Mode: 0o644})
	if err == nil {
		_, err = a.Write(content)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return judge(err)
	}
	t.host.add(t.prefix + "extracted")
	c := newCall(t, "archive.tar", text.Bytes())
	if err := s3.PutArchive(t.ctx, t.host.session, c); err != nil {
		return judge(err)
	}
	return holds(t, c.Status, "extracted", "the archive is stored as it is")
}

// tryZip reads a file out of an archive.
func tryZip(t *trial) verdict {
	var text, got bytes.Buffer
	a := zip.NewWriter(&text)
	f, err := a.Create("file")
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return judge(err)
	}
	if err := s3.Put(t.ctx, t.host.session, newCall(t, "archive.zip", text.Bytes())); err != nil {
		return judge(err)
	}
	c := &s3.Call{Key: t.prefix + "archive.zip/file", Size: -1, Into: &got}
	err = s3.GetZipped(t.ctx, t.host.session, c)
	if err == nil && !bytes.Equal(got.Bytes(), content) {
		return otherContent(c.Status, got.Bytes())
	}
	return judge(err)
}

// tryFanOut uploads contents that the server must store twice.
func tryFanOut(t *trial) verdict {
	if v, ok := keyless(t.host.cfg); !ok {
		return v
	}
	c := newCall(t, "fan-1", content)
	t.host.add(t.prefix + "fan-2")
	err := s3.FanOut(t.ctx, t.host.session, c, []string{t.prefix + "fan-1", t.prefix + "fan-2"})
	if err != nil {
		if s3.AsError(err).Class == s3.ClassBadResponse {
			return ignored(c.Status, "the upload is stored otherwise")
		}
		return judge(err)
	}
	return holds(t, c.Status, "fan-2", "the upload is not stored twice")
}

// tryDeleteIfMatch deletes on a condition that does not hold.
func tryDeleteIfMatch(t *trial) verdict {
	v := refuses(t, http.StatusPreconditionFailed, request{method: http.MethodDelete, headers: headers("If-Match", otherTag)})
	if v.result == Ignored {
		t.etag = "" // it is gone
	}
	return v
}

func tryPutACL(t *trial) verdict {
	_, err := t.putObject("acl", "x-amz-acl", "private")
	return judge(err)
}

// tryListMetadata lists with metadata, which is an extension of MinIO.
func tryListMetadata(t *trial) verdict {
	if _, err := t.putObject("listed-metadata", "x-amz-meta-warp", "doctor"); err != nil {
		return judge(err)
	}
	r, err := t.send(request{method: http.MethodGet, query: query("list-type", "2", "metadata", "true", "prefix", t.prefix+"listed-metadata")})
	switch {
	case err != nil:
		return judge(err)
	case !bytes.Contains(r.text, []byte("UserMetadata")):
		return ignored(r.Status, "the listing holds no metadata")
	}
	return yes("")
}
