package jsonapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/exchange"
)

// upload is what uploads say of their objects besides contents and type.
type upload struct {
	contentType string
	facts       map[string]string // fields of objects
	metadata    map[string]string
	random      []s3.RandomHeader // metadata that differ from object to object
	sums        []sum
	boundary    string
	chunk       int64 // of resumable uploads; 0: there are none
}

// sum is a checksum that the store is to check.
type sum struct {
	field string
	new   func() hash.Hash
}

// fieldOf are the fields of objects by the headers that say the same.
var fieldOf = map[string]string{
	"x-amz-storage-class": "storageClass",
	"cache-control":       "cacheControl",
	"content-disposition": "contentDisposition",
	"content-encoding":    "contentEncoding",
	"content-language":    "contentLanguage",
}

const metadataPrefix = "x-amz-meta-"

func newUpload(cfg *s3.Config) upload {
	u := upload{
		contentType: "application/octet-stream",
		facts:       map[string]string{},
		metadata:    map[string]string{},
		boundary:    "warp-" + rand.Text(),
		chunk:       cfg.Uploads.Chunk,
	}
	for _, h := range cfg.Headers {
		lower := strings.ToLower(h.Name)
		switch name, isMetadata := strings.CutPrefix(lower, metadataPrefix); {
		case isMetadata:
			u.metadata[name] = h.Value
		case fieldOf[lower] != "":
			u.facts[fieldOf[lower]] = h.Value
		case lower == "content-type":
			u.contentType = h.Value
		}
	}
	u.random = cfg.Uploads.Random
	if cfg.Uploads.Checksum != "" {
		u.sums = append(u.sums, sum{"crc32c", checksum.Find(cfg.Uploads.Checksum).New})
	}
	if cfg.Uploads.MD5 {
		u.sums = append(u.sums, sum{"md5Hash", checksum.MD5.New})
	}
	return u
}

// Upload returns which headers uploads have: all others are in their bodies.
func (d *Dialect) Upload(name string) string {
	lower := strings.ToLower(name)
	if fieldOf[lower] != "" || lower == "content-md5" || strings.HasPrefix(lower, "x-amz-") {
		return ""
	}
	return name
}

// gives reports whether each upload has metadata of a name.
func (u *upload) gives(name []byte) bool {
	_, fixed := u.metadata[string(name)]
	return fixed || slices.ContainsFunc(u.random, func(h s3.RandomHeader) bool { return metadataName(h.Name) == string(name) })
}

// metadataName is the name of metadata that a header gives.
func metadataName(header string) string {
	return strings.TrimPrefix(strings.ToLower(header), metadataPrefix)
}

// described reports whether uploads have more to say than a request with nothing but contents can.
func (u *upload) described() bool {
	return len(u.facts)+len(u.metadata)+len(u.random)+len(u.sums) > 0
}

// resource is the description of an object; without a name, the request has it elsewhere.
func (u *upload) resource(name string, sums map[string]string, key string) []byte {
	all := map[string]any{}
	for field, value := range u.facts {
		all[field] = value
	}
	for field, value := range sums {
		all[field] = value
	}
	if name != "" {
		all["name"] = name
		all["contentType"] = u.contentType
	}
	metadata := u.metadata
	if len(u.random) > 0 {
		metadata = map[string]string{}
		for k, v := range u.metadata {
			metadata[k] = v
		}
		r := s3.RandomOf(key)
		for _, h := range u.random {
			metadata[metadataName(h.Name)] = string(h.Append(nil, r))
		}
	}
	if len(metadata) > 0 {
		all["metadata"] = metadata
	}
	text, _ := json.Marshal(all) // texts only
	return text
}

// sumsOf computes the checksums of contents.
func (u *upload) sumsOf(c *s3.Call) (map[string]string, error) {
	if len(u.sums) == 0 {
		return nil, nil
	}
	hashes := make([]hash.Hash, len(u.sums))
	for i := range u.sums {
		hashes[i] = u.sums[i].new()
	}
	if err := checksum.Read(c.Body, c.Size, make([]byte, 64<<10), hashes...); err != nil {
		return nil, s3.InvalidRequest(fmt.Errorf("%w: %w", exchange.ErrBody, err))
	}
	all := map[string]string{}
	for i, h := range hashes {
		all[u.sums[i].field] = base64.StdEncoding.EncodeToString(h.Sum(nil))
	}
	return all, nil
}

// Put uploads an object: by a request with nothing but its contents if that says all, else by one with a description in front of them.
func (d *Dialect) Put(ctx context.Context, s s3.Session, c *s3.Call) error {
	if d.upload.chunk > 0 {
		return d.putResumable(ctx, s, c)
	}
	if d.upload.described() {
		return d.putDescribed(ctx, s, c)
	}
	c.Begin(http.MethodPost, s3.MakesObjects)
	c.Path = d.bucketOf(s, c).upload
	c.Query = append(c.Query, ofObject, s3.Param{Name: "name", Value: c.Key}, s3.Param{Name: "uploadType", Value: "media"})
	c.Take = takeUpload
	return s.Do(ctx, c)
}

// takeUpload takes what the response to an upload says of the object.
func takeUpload(c *s3.Call, text []byte) (generation []byte, err error) {
	if generation, err = takeObject(c, text); err == nil {
		c.Bytes = c.Size
	}
	return generation, err
}

func (d *Dialect) putDescribed(ctx context.Context, s s3.Session, c *s3.Call) error {
	sums, err := d.upload.sumsOf(c)
	if err != nil {
		return err
	}
	var before bytes.Buffer
	before.WriteString("--" + d.upload.boundary + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n")
	before.Write(d.upload.resource(c.Key, sums, c.Key))
	before.WriteString("\r\n--" + d.upload.boundary + "\r\nContent-Type: " + d.upload.contentType + "\r\n\r\n")
	f := &framed{before: before.Bytes(), body: c.Body, size: c.Size, after: []byte("\r\n--" + d.upload.boundary + "--\r\n")}
	body, size := c.Body, c.Size
	c.Begin(http.MethodPost, s3.MakesObjects)
	c.Path = d.bucketOf(s, c).upload
	c.Query = append(c.Query, ofObject, s3.Param{Name: "uploadType", Value: "multipart"})
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Type", Value: "multipart/related; boundary=" + d.upload.boundary})
	c.Body, c.Size = f, f.length()
	c.Take = func(c *s3.Call, text []byte) ([]byte, error) {
		c.Size = size
		return takeUpload(c, text)
	}
	err = s.Do(ctx, c)
	c.Body, c.Size = body, size
	return err
}

// framed is a body between two texts.
type framed struct {
	before, after []byte
	body          io.ReaderAt
	size          int64
}

func (f *framed) length() int64 { return int64(len(f.before)) + f.size + int64(len(f.after)) }

// ReadAt reads from the place where off is.
func (f *framed) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		at, into := off+int64(n), p[n:]
		switch inBody := at - int64(len(f.before)); {
		case inBody < 0:
			k = copy(into, f.before[at:])
		case inBody < f.size:
			into = into[:min(int64(len(into)), f.size-inBody)]
			if k, err = f.body.ReadAt(into, inBody); k == len(into) {
				err = nil
			} else if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
		case inBody-f.size < int64(len(f.after)):
			k = copy(into, f.after[inBody-f.size:])
		default:
			err = io.EOF
		}
		n += k
	}
	return n, err
}
