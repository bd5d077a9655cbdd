package azure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

const (
	boundary = "batch_6c1e7d1c-warp"
	// maxBatch is the longest response to a batch that is read: some 1 KiB for each deletion.
	maxBatch = 4 << 20
)

// DeleteMany deletes blobs by a batch: a request for each, signed by itself, in the body of one.
func (d *Dialect) DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, many *ops.Deletion) error {
	if n := len(many.Objects); n > maxDeletions {
		return s3.Errorf(s3.ClassBadRequest, 0, "%d deletions by one request (want at most %d)", n, maxDeletions)
	}
	body, err := d.batch(d.pathOf(s, c), many.Objects)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	c.BeginKey("", http.MethodPost, s3.NoAccess)
	if component(c, "batch"); !d.ofAccount { // whose batches the emulator takes only so
		c.Query = append(c.Query, s3.Param{Name: "restype", Value: "container"})
	}
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Type", Value: "multipart/mixed; boundary=" + boundary})
	c.Body, c.Size = bytes.NewReader(body), int64(len(body))
	c.Want = append(c.Want, "content-type")
	c.Parse = func(r io.Reader) error { return d.readBatch(r, c, many) }
	err = s.Do(ctx, c)
	d.deleteCurrents(ctx, s, c, many)
	if s3.AsError(err).Class != s3.ClassNotDeleted {
		return err
	}
	return many.Outcome()
}

// pathOf is the path of the container of a call.
func (d *Dialect) pathOf(s s3.Session, c *s3.Call) string {
	if c.Other != "" {
		return d.cfg.Root + "/" + c.Other
	}
	return d.cfg.Root + "/" + d.cfg.BucketName(cmp.Or(s.Bucket(), c.Bucket))
}

// batch is the body of a batch.
func (d *Dialect) batch(container string, objects []ops.ObjectID) ([]byte, error) {
	var b bytes.Buffer
	for i, o := range objects {
		path := string(exchange.AppendPath([]byte(container+"/"), o.Key))
		q := exchange.Request{Suffix: d.sas}
		if o.Version != "" {
			q.Query = []s3.Param{{Name: "versionid", Value: o.Version}}
		}
		query := string(q.AppendQuery(nil))
		u, err := url.Parse(path)
		if err != nil {
			return nil, err
		}
		u.RawQuery = query
		req := &http.Request{Method: http.MethodDelete, URL: u, Header: http.Header{}}
		if d.keys.Access != "" {
			if err := exchange.SignSharedKey(req, &d.keys, clock.Wall()); err != nil {
				return nil, err
			}
		} else {
			req.Header.Set("X-Ms-Date", clock.Wall().UTC().Format(http.TimeFormat))
		}
		b.WriteString("--" + boundary + "\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: " +
			strconv.Itoa(i) + "\r\n\r\nDELETE " + path)
		if query != "" {
			b.WriteString("?" + query)
		}
		b.WriteString(" HTTP/1.1\r\nx-ms-date: " + req.Header.Get("X-Ms-Date") + "\r\n")
		if proof := req.Header.Get("Authorization"); proof != "" {
			b.WriteString("Authorization: " + proof + "\r\n")
		}
		b.WriteString("Content-Length: 0\r\n\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return b.Bytes(), nil
}

// readBatch reads what came of each deletion.
func (d *Dialect) readBatch(r io.Reader, c *s3.Call, many *ops.Deletion) error {
	many.Failed, many.Places = many.Failed[:0], many.Places[:0]
	_, params, err := mime.ParseMediaType(c.Got[0])
	if err != nil || params["boundary"] == "" {
		return wrongBatch(errors.New("not the response to a batch"))
	}
	parts := multipart.NewReader(io.LimitReader(r, maxBatch), params["boundary"])
	seen := make([]bool, len(many.Objects))
	left := len(seen)
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return wrongBatch(err)
		}
		place, err := strconv.Atoi(part.Header.Get("Content-Id"))
		if err != nil || place < 0 || place >= len(seen) || seen[place] {
			return d.readWhole(part)
		}
		resp, err := partResponse(part)
		if err != nil {
			return wrongBatch(err)
		}
		seen[place] = true
		left--
		if many.Objects[place].Version == "" {
			d.deleted(resp.Header.Get(permanent))
		}
		if resp.StatusCode != http.StatusAccepted {
			many.Failed = append(many.Failed, ops.ObjectErr{ObjectID: many.Objects[place], Err: d.Error(resp)})
			many.Places = append(many.Places, place)
		}
	}
	if left > 0 {
		return wrongBatch(fmt.Errorf("of %d objects that were to be deleted, the response says nothing about %d", len(seen), left))
	}
	return many.Outcome()
}

// readWhole returns the error of a batch that the store did not perform: a part without a number.
func (d *Dialect) readWhole(part io.Reader) error {
	resp, err := partResponse(part)
	if err != nil || resp.StatusCode/100 == 2 {
		return wrongBatch(errors.New("a part that belongs to no deletion"))
	}
	return d.Error(resp)
}

// partResponse reads the response in a part. The empty line that ends its header may be that before the next part.
func partResponse(part io.Reader) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(io.MultiReader(part, strings.NewReader("\r\n\r\n"))), nil)
}

func wrongBatch(err error) error { return ops.BadResponse("batch", err) }
