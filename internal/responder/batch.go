package responder

import (
	"bytes"
	"io"
	"mime"
	mp "mime/multipart"
)

// EachInBatch calls a function for each part of a batch, a body of type multipart/mixed. It reports whether that is a batch of at most
// most parts.
func EachInBatch(contentType string, body []byte, most int, each func(n int, part *mp.Part)) bool {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return false
	}
	in := mp.NewReader(bytes.NewReader(body), params["boundary"])
	for n := 0; ; n++ {
		part, err := in.NextRawPart()
		if err == io.EOF {
			return true
		}
		if err != nil || n == most {
			return false
		}
		each(n, part)
	}
}
