package jsonapi

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/gcs"
)

// Error makes the error of a response. Downloads have errors as plain text or XML.
func (d *Dialect) Error(r *http.Response) *s3.Error {
	text := s3.ErrorText(r)
	code, message, understood := readError(text)
	if !understood {
		var said struct {
			XMLName       xml.Name `xml:"Error"`
			Code, Message string
		}
		if understood = xml.Unmarshal(text, &said) == nil; understood {
			code, message = said.Code, said.Message
		} else {
			message = string(text)
		}
	}
	return gcs.Error(r, code, message, understood)
}

// readError reads the reason of the first error, or else the status in words, and the message.
func readError(text []byte) (code, message string, ok bool) {
	keep := func(to *string, value []byte) {
		if p, err := plain(value); err == nil {
			*to = string(p)
		}
	}
	status := ""
	read := func(name, value []byte) {
		switch string(name) {
		case "message":
			keep(&message, value)
		case "status":
			keep(&status, value)
		case "errors":
			_ = elements(value, func(_, one []byte) {
				_ = members(one, func(name, value []byte) {
					if string(name) == "reason" && code == "" {
						keep(&code, value)
					}
				})
			})
		}
	}
	err := members(text, func(name, value []byte) {
		if string(name) == "error" {
			ok = members(value, read) == nil
		}
	})
	if code == "" {
		code = status
	}
	return code, message, ok && err == nil
}

// rewritten is the response to a rewrite.
type rewritten struct {
	done   bool
	token  string
	object object
}

var errNoToken = errors.New("it is not done, and the response has no token to go on with")

func (r *rewritten) read(text []byte) (err error) {
	wrong := members(text, func(name, value []byte) {
		switch string(name) {
		case "done":
			r.done = string(value) == "true"
		case "rewriteToken":
			token, e := plain(value)
			r.token, err = string(token), errors.Join(err, e)
		case "resource":
			o, e := readObject(value)
			r.object, err = o, errors.Join(err, e)
		}
	})
	return errors.Join(wrong, err)
}

// sequence adds up the responses to the requests of one operation.
type sequence struct {
	sum   s3.Response
	begun bool
}

// add adds a response, which becomes that of all so far.
func (j *sequence) add(r *s3.Response) {
	if j.begun {
		r.After(&j.sum)
	}
	j.begun, j.sum = true, *r
}

// newBytes is a text as a body.
func newBytes(text []byte) io.ReaderAt { return bytes.NewReader(text) }
