package ops

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
)

// maxBatch is the longest response to a batch that is read: some 1 KiB for each deletion.
const maxBatch = 4 << 20

// ReadBatch reads the response to a batch of deletions: for each a response in a part of a multipart document, whose Content-ID says which.
// judge returns the error of one that failed; its place is negative if it belongs to no deletion.
func ReadBatch(
	r io.Reader, contentType string, d *Deletion, number func(id string) int, judge func(place int, r *http.Response) error,
) error {
	d.Failed, d.Places = d.Failed[:0], d.Places[:0]
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return wrongBatch(errors.New("not the response to a batch"))
	}
	parts := multipart.NewReader(io.LimitReader(r, maxBatch), params["boundary"])
	seen := make([]bool, len(d.Objects))
	left := len(seen)
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return wrongBatch(err)
		}
		// The empty line that ends the header of a response may be that before the next part.
		resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(part, strings.NewReader("\r\n\r\n"))), nil)
		if err != nil {
			return wrongBatch(err)
		}
		place := number(part.Header.Get("Content-Id"))
		if place >= len(seen) || place >= 0 && seen[place] {
			place = -1
		}
		failed := judge(place, resp)
		if place < 0 {
			if failed != nil { // the store did not perform the batch
				return failed
			}
			return wrongBatch(errors.New("a part that belongs to no deletion"))
		}
		seen[place] = true
		left--
		if failed != nil {
			d.Failed = append(d.Failed, ObjectErr{ObjectID: d.Objects[place], Err: failed})
			d.Places = append(d.Places, place)
		}
	}
	if left > 0 {
		return wrongBatch(fmt.Errorf("of %d objects that were to be deleted, the response says nothing about %d", len(seen), left))
	}
	return d.Outcome()
}

func wrongBatch(err error) error { return BadResponse("batch", err) }
