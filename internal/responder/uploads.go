package responder

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// uploadPart is a part of an upload.
type uploadPart struct {
	size    int64
	content []byte // nil: not kept
	etag    string
}

// upload is an unfinished multipart upload.
type upload struct {
	bucket, key string
	parts       map[int]uploadPart
}

// uploads holds the unfinished uploads by id.
type uploads struct {
	mu   sync.Mutex
	last uint64
	byID map[string]*upload
}

// create begins an upload and returns its id.
func (u *uploads) create(bucket, key string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last++
	id := fmt.Sprintf("upload-%d", u.last)
	if u.byID == nil {
		u.byID = map[string]*upload{}
	}
	u.byID[id] = &upload{bucket: bucket, key: key, parts: map[int]uploadPart{}}
	return id
}

// find returns an upload of a key, or nil.
func (u *uploads) find(bucket, key, id string) *upload {
	if up := u.byID[id]; up != nil && up.bucket == bucket && up.key == key {
		return up
	}
	return nil
}

// put keeps a part, and reports whether there is such an upload.
func (u *uploads) put(bucket, key, id string, number int, p uploadPart) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	if up != nil {
		up.parts[number] = p
	}
	return up != nil
}

// abort removes an upload, and reports whether there was one.
func (u *uploads) abort(bucket, key, id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	delete(u.byID, id)
	return up != nil
}

// complete removes an upload and returns the object that its parts make; else the code of the error.
func (u *uploads) complete(bucket, key, id string, list []completedPart) (o object, code string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	if up == nil {
		return o, "NoSuchUpload"
	}
	for i, named := range list {
		p, ok := up.parts[named.PartNumber]
		switch {
		case !ok || strings.Trim(named.ETag, `"`) != p.etag:
			return o, "InvalidPart"
		case i > 0 && named.PartNumber <= list[i-1].PartNumber:
			return o, "InvalidPartOrder"
		}
		o.size += p.size
		o.content = append(o.content, p.content...)
		o.parts = append(o.parts, p.size)
	}
	if len(list) == 0 {
		return o, "MalformedXML"
	}
	delete(u.byID, id)
	return o, ""
}

// list returns the uploads of a bucket below a prefix, sorted by id.
func (u *uploads) list(bucket, prefix string) (list []listedUpload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(u.byID)) {
		if up := u.byID[id]; up.bucket == bucket && strings.HasPrefix(up.key, prefix) {
			list = append(list, listedUpload{up.key, id})
		}
	}
	return list
}

type completedPart struct {
	PartNumber int
	ETag       string
}

type listedUpload struct {
	Key      string
	UploadID string `xml:"UploadId"`
}
