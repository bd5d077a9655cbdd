package jsonapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

// ids begin the numbers of requests in a batch. The responses to them begin with another word in front of that.
const ids = "<warp+"

// DeleteMany deletes objects by a batch: a request for each in the body of one, whose token holds for all.
func (d *Dialect) DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, many *ops.Deletion) error {
	if n := len(many.Objects); n > maxDeletions {
		return s3.Errorf(s3.ClassBadRequest, 0, "%d deletions by one request (want at most %d)", n, maxDeletions)
	}
	text := d.deletions(d.bucketOf(s, c), many.Objects)
	c.BeginKey("", http.MethodPost, s3.NoAccess)
	c.Path = d.batch
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Type", Value: "multipart/mixed; boundary=" + d.upload.boundary})
	c.Body, c.Size = newBytes(text), int64(len(text))
	c.Want = append(c.Want, "content-type")
	c.Parse = func(r io.Reader) error {
		return ops.ReadBatch(r, c.Got[0], many, numberOf, func(_ int, r *http.Response) error {
			if r.StatusCode/100 == 2 {
				return nil
			}
			return d.Error(r)
		})
	}
	return s.Do(ctx, c)
}

// deletions is the body of a batch.
func (d *Dialect) deletions(in *bucket, objects []ops.ObjectID) []byte {
	var b bytes.Buffer
	for i, o := range objects {
		b.WriteString("--" + d.upload.boundary + "\r\nContent-Type: application/http\r\nContent-ID: " + ids + strconv.Itoa(i) + ">\r\n\r\n")
		b.WriteString("DELETE " + in.objects + "/")
		b.Write(exchange.AppendQuery(nil, o.Key))
		if o.Version != "" {
			b.WriteString("?generation=")
			b.Write(exchange.AppendQuery(nil, o.Version))
		}
		b.WriteString(" HTTP/1.1\r\n\r\n\r\n")
	}
	b.WriteString("--" + d.upload.boundary + "--\r\n")
	return b.Bytes()
}

// numberOf returns the number of the request that a response is to; negative if it says none.
func numberOf(id string) int {
	_, text, found := strings.Cut(id, ids[1:])
	n, err := strconv.Atoi(strings.TrimSuffix(text, ">"))
	if !found || err != nil {
		return -1
	}
	return n
}
