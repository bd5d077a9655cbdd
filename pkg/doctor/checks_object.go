package doctor

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"

	"warp/pkg/doctor/finding"
)

func tryPut(t *trial) verdict { return t.put() }

func tryStat(t *trial) verdict {
	r, err := t.send(request{method: http.MethodHead, key: objectKey, want: []string{"content-length"}})
	if err == nil && r.Got[0] != strconv.Itoa(len(content)) {
		return ignored(r.Status, "it says that an object of %d bytes has %q", len(content), r.Got[0])
	}
	return judge(err)
}

func tryGet(t *trial) verdict {
	r, err := t.read(objectKey)
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
	return remove(t, objectKey)
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

func tryPutACL(t *trial) verdict {
	_, err := t.putObject("acl", "x-amz-acl", "private")
	return judge(err)
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
	if v.result == finding.No {
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
