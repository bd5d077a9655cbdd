package connect

import (
	"fmt"
	"io"
	"mime/multipart"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

// setForm makes the request a form with fields, whose file is the body of the call.
func setForm(q *exchange.Request, c *s3.Call, fields []s3.Param) error {
	body, contentType, err := newFormBody(fields, c.Body, c.Size)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	q.Key = ""
	q.Headers = append(slices.Clone(c.Headers), s3.Header{Name: "Content-Type", Value: contentType})
	q.Body, q.Size = body, body.length()
	return nil
}

// formBody is a form whose last field is a file.
type formBody struct {
	head, tail string
	file       io.ReaderAt
	size       int64
}

func newFormBody(fields []s3.Param, file io.ReaderAt, size int64) (*formBody, string, error) {
	var b strings.Builder
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		if err := w.WriteField(f.Name, f.Value); err != nil {
			return nil, "", err
		}
	}
	if _, err := w.CreateFormFile("file", "file"); err != nil {
		return nil, "", err
	}
	return &formBody{b.String(), fmt.Sprintf("\r\n--%s--\r\n", w.Boundary()), file, size}, w.FormDataContentType(), nil
}

func (f *formBody) length() int64 { return int64(len(f.head)) + f.size + int64(len(f.tail)) }

// ReadAt reads from the form.
func (f *formBody) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		head, end := int64(len(f.head)), int64(len(f.head))+f.size
		at := off + int64(n)
		switch {
		case at < head:
			n += copy(p[n:], f.head[at:])
		case at < end:
			k, err := f.file.ReadAt(p[n:min(int64(len(p)), int64(n)+end-at)], at-head)
			n += k
			if k == 0 && err != nil {
				return n, err
			}
		case at < f.length():
			n += copy(p[n:], f.tail[at-end:])
		default:
			return n, io.EOF
		}
	}
	return n, nil
}
