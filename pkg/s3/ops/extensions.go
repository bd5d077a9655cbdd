package ops

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"warp/pkg/s3"
)

// Requests that only MinIO, and stores derived from it, know.

// PutArchive uploads c.Body, a tar archive, compressed or not, whose files become objects named as they are (snowball).
func PutArchive(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.Begin(http.MethodPut, s3.MakesObjects)
	c.Act = s3.Act{Words: "upload archives to be extracted, an extension of MinIO", Right: "s3:PutObject"}
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Meta-Snowball-Auto-Extract", Value: "true"})
	return s.Do(ctx, c)
}

// GetZipped downloads a file out of a zip archive: c.Key is the key of the archive, which ends in ".zip", and, after a slash, the
// name of the file in it.
func GetZipped(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginObject(http.MethodGet, s3.ReadsWrites)
	c.Headers = append(c.Headers, s3.Header{Name: "X-Minio-Extract", Value: "true"})
	return s.Do(ctx, c)
}

// FanOut uploads c.Body once, by a form, as all of keys. It returns an error unless all were made.
func FanOut(ctx context.Context, s s3.Session, c *s3.Call, keys []string) error {
	var list strings.Builder
	e := json.NewEncoder(&list)
	for _, key := range keys {
		if err := e.Encode(struct {
			Key string `json:"key"`
		}{key}); err != nil {
			return s3.InvalidRequest(err)
		}
	}
	c.Begin(http.MethodPost, s3.NoAccess)
	c.Auth = s3.AuthForm
	c.Form = append(c.Form[:0], s3.Param{Name: "x-minio-fanout-list", Value: list.String()})
	c.Parse = func(r io.Reader) error { return checkFanOut(r, keys) }
	return s.Do(ctx, c)
}

// checkFanOut makes sure that a response says of each object, once, that it was made.
func checkFanOut(r io.Reader, keys []string) error {
	want, named := len(keys), map[string]bool{}
	for _, key := range keys {
		named[key] = true
	}
	d := json.NewDecoder(http.MaxBytesReader(nil, io.NopCloser(r), maxDocument))
	for made := 0; ; made++ {
		var entry struct{ Key, Error string }
		err := d.Decode(&entry)
		switch {
		case errors.Is(err, io.EOF) && made == want:
			return nil
		case errors.Is(err, io.EOF):
			return s3.Errorf(s3.ClassBadResponse, 0, "%d objects were made, not %d", made, want)
		case err != nil:
			return BadResponse("fan-out", err)
		case entry.Error != "":
			return s3.Errorf("not made", 0, "%q: %s", entry.Key, entry.Error)
		case !named[entry.Key]:
			return s3.Errorf(s3.ClassBadResponse, 0, "%q was made, which was not to be, or not so often", entry.Key)
		}
		named[entry.Key] = false
	}
}
