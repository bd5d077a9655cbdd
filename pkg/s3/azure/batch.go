package azure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

const boundary = "batch_6c1e7d1c-warp"

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
	c.Parse = func(r io.Reader) error {
		return ops.ReadBatch(r, c.Got[0], many, numberOf, func(place int, r *http.Response) error { return d.judgePart(many, place, r) })
	}
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
		if err := d.sign(req); err != nil {
			return nil, err
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

// sign proves a request of a batch.
func (d *Dialect) sign(req *http.Request) error {
	token := d.bearer()
	switch {
	case token != nil:
		req.Header.Set("Authorization", "Bearer "+token.Token)
	case d.keys != nil:
		return exchange.SignSharedKey(req, d.keys(), clock.Wall())
	}
	req.Header.Set("X-Ms-Date", clock.Wall().UTC().Format(http.TimeFormat))
	return nil
}

// numberOf returns the number of the request that a response is to; negative if it says none.
func numberOf(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return -1
	}
	return n
}

// judgePart returns the error of a deletion that failed. Another status of success is an error too.
func (d *Dialect) judgePart(many *ops.Deletion, place int, r *http.Response) error {
	if place >= 0 && many.Objects[place].Version == "" {
		d.deleted(r.Header.Get(permanent))
	}
	switch {
	case r.StatusCode == http.StatusAccepted:
		return nil
	case r.StatusCode/100 == 2:
		return ops.BadResponse("batch", errors.New("a part that belongs to no deletion"))
	}
	return d.Error(r)
}
