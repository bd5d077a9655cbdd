package doctor

import (
	"bytes"
	"crypto/rand"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"

	"warp/pkg/s3"
	"warp/pkg/units"
)

// content is the content of the object that checks read.
var content = func() []byte {
	b := make([]byte, 1<<10)
	_, _ = rand.Read(b) // never fails
	return b
}()

// query makes parameters of names and values in turn.
func query(pairs ...string) (list []s3.Param) {
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, s3.Param{Name: p[0], Value: p[1]})
	}
	return list
}

// headers makes headers of names and values in turn.
func headers(pairs ...string) (list []s3.Header) {
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, s3.Header{Name: p[0], Value: p[1]})
	}
	return list
}

// begin is the beginning of a body, for details.
func begin(text []byte) string { return units.Truncate(units.Line(string(text)), 60) }

func tryPut(t *trial) verdict {
	r, err := t.putObject("a")
	if err == nil {
		t.etag = r.Got[0]
	}
	return judge(err)
}

func tryStat(t *trial) verdict {
	r, err := t.send(request{method: http.MethodHead, key: "a", want: []string{"content-length"}})
	if err == nil && r.Got[0] != strconv.Itoa(len(content)) {
		return ignored(r.Status, "it says that an object of %d bytes has %q", len(content), r.Got[0])
	}
	return judge(err)
}

func tryGet(t *trial) verdict {
	r, err := t.read("a")
	if err == nil && !bytes.Equal(r.text, content) {
		return ignored(r.Status, "an object of %d bytes came back different (%d bytes)", len(content), len(r.text))
	}
	return judge(err)
}

// remove deletes an object, and makes sure that it is gone.
func remove(t *trial, key string) verdict {
	r, err := t.send(request{method: http.MethodDelete, key: key})
	if err != nil {
		return judge(err)
	}
	if _, err = t.send(request{method: http.MethodHead, key: key}); err == nil {
		return ignored(r.Status, "the object is still there")
	}
	return yes("")
}

func tryDelete(t *trial) verdict {
	t.etag = ""
	return remove(t, "a")
}

func tryMultiDelete(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	if _, err := t.putObject("b"); err != nil {
		return judge(err)
	}
	c := &s3.Call{}
	err := s3.DeleteMany(t.ctx, t.host.session, c, &s3.Deletion{Objects: []s3.ObjectID{{Key: t.prefix + "b"}}})
	if err != nil {
		return judge(err)
	}
	if _, err := t.send(request{method: http.MethodHead, key: "b"}); err == nil {
		return ignored(c.Status, "the object is still there")
	}
	return yes("")
}

func tryCopy(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	source := "/" + t.bucket.Name + "/" + t.prefix + "a"
	r, err := t.send(request{method: http.MethodPut, key: "copy", headers: headers("x-amz-copy-source", source)})
	if err != nil {
		return judge(err)
	}
	if got, err := t.read("copy"); err != nil || !bytes.Equal(got.text, content) {
		return ignored(r.Status, "the copy differs")
	}
	return yes("")
}

func tryAppend(t *trial) verdict {
	if _, err := t.putObject("append"); err != nil {
		return judge(err)
	}
	r, err := t.putObject("append", "x-amz-write-offset-bytes", strconv.Itoa(len(content)))
	if err != nil {
		return judge(err)
	}
	got, err := t.read("append")
	if err != nil || len(got.text) != 2*len(content) {
		return ignored(r.Status, "the object is replaced")
	}
	return yes("")
}

// refuses is a check of a condition that does not hold: a request that must have this status.
func refuses(t *trial, status int, q request) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	q.key = "a"
	r, err := t.send(q)
	switch {
	case err == nil:
		return ignored(r.Status, "the condition is ignored")
	case s3.AsError(err).Status == status:
		return verdict{result: Yes, status: status}
	}
	return judge(err)
}

// otherTag is the ETag of no object.
const otherTag = `"00000000000000000000000000000000"`

func tryPutIfNoneMatch(t *trial) verdict {
	return refuses(t, http.StatusPreconditionFailed, request{method: http.MethodPut, body: content, headers: headers("If-None-Match", "*")})
}

func tryPutIfMatch(t *trial) verdict {
	return refuses(t, http.StatusPreconditionFailed, request{method: http.MethodPut, body: content, headers: headers("If-Match", otherTag)})
}

func tryGetIfNoneMatch(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	return refuses(t, http.StatusNotModified, request{method: http.MethodGet, headers: headers("If-None-Match", t.etag)})
}

func tryGetIfMatch(t *trial) verdict {
	return refuses(t, http.StatusPreconditionFailed, request{method: http.MethodGet, headers: headers("If-Match", otherTag)})
}

// returns is a check of a header of an upload that the object must show in another one.
func returns(t *trial, key, shown, want string, pairs ...string) verdict {
	if _, err := t.putObject(key, pairs...); err != nil {
		return judge(err)
	}
	r, err := t.send(request{method: http.MethodHead, key: key, want: []string{shown}})
	if err != nil {
		return judge(err)
	}
	if want != r.Got[0] {
		return ignored(r.Status, "the object shows %q, not %q", r.Got[0], want)
	}
	return yes("")
}

func tryMetadata(t *trial) verdict {
	return returns(t, "metadata", "x-amz-meta-warp", "doctor", "x-amz-meta-warp", "doctor")
}

func tryStorageClass(t *trial) verdict {
	_, err := t.putObject("class", "x-amz-storage-class", "STANDARD")
	return judge(err)
}

func tryTaggedPut(t *trial) verdict {
	if _, err := t.putObject("tagged", "x-amz-tagging", "warp=doctor"); err != nil {
		return judge(err)
	}
	v := hasTag(t, "tagged")
	if v.result == No {
		return ignored(v.status, "the upload is accepted, and tags cannot be read: %s", v.detail)
	}
	return v
}

// hasTag is a check that an object has the tag of the checks.
func hasTag(t *trial, key string) verdict {
	r, err := t.send(request{method: http.MethodGet, key: key, query: query("tagging", "")})
	if err != nil {
		return judge(err)
	}
	var tags struct {
		Tag []struct{ Key, Value string } `xml:"TagSet>Tag"`
	}
	if err := xml.Unmarshal(r.text, &tags); err != nil || len(tags.Tag) != 1 || tags.Tag[0].Value != "doctor" {
		return ignored(r.Status, "the object has no such tag")
	}
	return yes("")
}

func tryPutTags(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	doc := `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet><Tag><Key>warp</Key><Value>doctor</Value></Tag></TagSet></Tagging>`
	r, err := t.send(request{method: http.MethodPut, key: "a", query: query("tagging", ""), body: []byte(doc), document: true})
	if err != nil {
		return judge(err)
	}
	if v := tryGet(t); v.result != Yes {
		t.etag = ""
		return ignored(r.Status, "it replaces the object")
	}
	return yes("")
}

func tryGetTags(t *trial) verdict { return hasTag(t, "a") }

func tryDeleteTags(t *trial) verdict {
	r, err := t.send(request{method: http.MethodDelete, key: "a", query: query("tagging", "")})
	if err != nil {
		return judge(err)
	}
	if v := tryGet(t); v.result != Yes {
		t.etag = ""
		return ignored(r.Status, "it deletes the object")
	}
	return yes("")
}

func tryGetRange(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	r, err := t.send(request{method: http.MethodGet, key: "a", offset: 100, length: 50})
	switch {
	case err != nil:
		return judge(err)
	case bytes.Equal(r.text, content):
		return ignored(r.Status, "the whole object is sent")
	case !bytes.Equal(r.text, content[100:150]):
		return ignored(r.Status, "other bytes are sent")
	}
	return verdict{result: Yes, status: r.Status}
}

func tryAttributes(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	r, err := t.send(request{method: http.MethodGet, key: "a", query: query("attributes", ""), headers: headers("x-amz-object-attributes", "ETag,ObjectSize")})
	if err != nil {
		return judge(err)
	}
	var a struct {
		XMLName    xml.Name
		ObjectSize int
	}
	if err := xml.Unmarshal(r.text, &a); err != nil || a.ObjectSize != len(content) {
		return otherContent(r.Status, r.text)
	}
	return yes("")
}

func tryACL(t *trial) verdict {
	if v, ok := t.object(); !ok {
		return v
	}
	r, err := t.send(request{method: http.MethodGet, key: "a", query: query("acl", "")})
	if err == nil && !bytes.Contains(r.text, []byte("AccessControlPolicy")) {
		return otherContent(r.Status, r.text)
	}
	return judge(err)
}
