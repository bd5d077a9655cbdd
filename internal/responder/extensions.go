package responder

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/s2"

	"warp/internal/clock"
)

// extension is an exchange about what MinIO does beyond S3, and about forms. Archives are extracted and read only if contents are
// kept (Options.Keep); without them they are objects as others.
type extension struct{ *Exchange }

// Headers of requests to extract an archive, and to read a file of one.
const (
	extractHeader = "X-Amz-Meta-Snowball-Auto-Extract"
	unzipHeader   = "X-Minio-Extract"
)

// extended reports whether a request has a header of an extension that the server can perform.
func (x *Exchange) extended(header string) bool {
	return x.s.opts.Keep && !x.s.opts.Forget && x.R.Header[header] != nil
}

// extract stores the files of a tar archive as objects.
func (x extension) extract() {
	content, _, err := x.ReadBody()
	if err != nil {
		return // the client hung up, or has its response
	}
	files, err := untar(content)
	if err == nil && x.Fault.Execute {
		x.putFiles(files)
	}
	if !x.ready() {
		return
	}
	if err != nil {
		x.Fail(http.StatusBadRequest, "InvalidArgument")
		return
	}
	x.putFiles(files)
	x.W.Header()["Etag"] = etag
	x.Status(http.StatusOK)
}

// file is a file of an archive.
type file struct {
	name    string
	content []byte
}

func (x extension) putFiles(files []file) {
	for _, f := range files {
		x.s.store.put(x.Bucket, f.name, int64(len(f.content)), f.content)
	}
}

// untar returns the files of a tar archive, which may be compressed by S2.
func untar(archive []byte) (files []file, err error) {
	var text io.Reader = bytes.NewReader(archive)
	if bytes.HasPrefix(archive, []byte("\xff\x06\x00\x00S2sTwO")) {
		text = s2.NewReader(text)
	}
	for r := tar.NewReader(text); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files = append(files, file{h.Name, content})
	}
}

// unzip responds with a file of a zip archive, whose name follows the key of the archive.
func (x extension) unzip() {
	if !x.ready() {
		return
	}
	before, name, _ := strings.Cut(x.Key, ".zip/")
	archive, found := x.s.store.get(x.Bucket, before+".zip", "")
	if !found {
		x.Fail(http.StatusNotFound, "NoSuchKey")
		return
	}
	r, err := zip.NewReader(bytes.NewReader(archive.content), archive.size)
	if err != nil {
		x.Fail(http.StatusBadRequest, "InvalidRequest")
		return
	}
	f, err := r.Open(name)
	if err != nil {
		x.Fail(http.StatusNotFound, "NoSuchKey")
		return
	}
	defer func() { _ = f.Close() }() // it is in memory
	content, err := io.ReadAll(f)
	if err != nil {
		x.Fail(http.StatusInternalServerError, "")
		return
	}
	h := x.W.Header()
	h["Etag"], h["Content-Type"] = etag, octets
	h.Set("Last-Modified", clock.Now().UTC().Format(http.TimeFormat))
	h.Set("Content-Length", strconv.Itoa(len(content)))
	x.Status(http.StatusOK)
	x.WriteBody(bytes.NewReader(content), int64(len(content)))
}

// post stores the file of a form, as the object that the form names, or as all of a list.
func (x extension) post() {
	fields, content, err := x.readForm()
	if err != nil {
		return // the client hung up, or does not send a form
	}
	keys := []string{fields["key"]}
	if list := fields["x-minio-fanout-list"]; list != "" {
		keys, err = fanOutKeys(list)
	}
	store := func() {
		for _, key := range keys {
			o := object{size: int64(len(content))}
			if x.s.opts.Keep {
				o.content = content
			}
			x.s.store.putObject(x.Bucket, key, o)
		}
	}
	if x.Fault.Execute && err == nil && !x.s.opts.Forget {
		store()
	}
	if !x.ready() {
		return
	}
	if err != nil {
		x.Fail(http.StatusBadRequest, "MalformedPOSTRequest")
		return
	}
	if !x.s.opts.Forget {
		store()
	}
	if fields["x-minio-fanout-list"] == "" {
		x.W.Header()["Etag"] = etag
		x.Status(http.StatusNoContent)
		return
	}
	x.Status(http.StatusOK)
	e := json.NewEncoder(x.W)
	for _, key := range keys {
		_ = e.Encode(made{Key: key, ETag: strings.Trim(etag[0], `"`)}) // the client may be gone
	}
}

// made is an object in the response to a fan-out.
type made struct {
	Key  string `json:"key"`
	ETag string `json:"etag"`
}

// readForm reads the fields of a form, and the file at its end.
func (x extension) readForm() (fields map[string]string, content []byte, err error) {
	r, err := x.R.MultipartReader()
	if err != nil {
		x.Fail(http.StatusBadRequest, "MalformedPOSTRequest")
		return nil, nil, err
	}
	fields = map[string]string{}
	for {
		part, err := r.NextPart()
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == "file" {
			x.s.kinds.of(x.Kind).received.Add(int64(len(text)))
			_, err := io.Copy(io.Discard, x.R.Body)
			return fields, text, err
		}
		fields[strings.ToLower(part.FormName())] = string(text)
	}
}

// fanOutKeys returns the keys of a list of JSON objects.
func fanOutKeys(list string) (keys []string, err error) {
	for d := json.NewDecoder(strings.NewReader(list)); ; {
		var entry made
		err := d.Decode(&entry)
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil || entry.Key == "" {
			return nil, errors.Join(err, errors.New("an entry of the list has no key"))
		}
		keys = append(keys, entry.Key)
	}
}
