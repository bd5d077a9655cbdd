package s3

import (
	"context"
	"net/http"
	"strconv"

	"warp/pkg/s3/exchange"
)

// CopySource returns the name of an object, or a version of it, as the source of copies.
func CopySource(bucket string, id ObjectID) string {
	var buf [256]byte // most names fit, so that the string is all that is allocated
	b := append(exchange.AppendPath(append(buf[:0], '/'), bucket), '/')
	b = exchange.AppendPath(b, id.Key)
	if id.Version != "" {
		b = exchange.AppendQuery(append(b, "?versionId="...), id.Version)
	}
	return string(b)
}

// Copy has the server copy an object to c.Key; see CopySource.
func Copy(ctx context.Context, s Session, c *Call, source string) error {
	c.Begin(http.MethodPut, MakesObjects)
	c.Body, c.Size = nil, 0
	c.Headers = append(c.Headers, Header{Name: "X-Amz-Copy-Source", Value: source})
	c.Parse = isCopy
	return s.Do(ctx, c)
}

// Append appends c.Body to an object that has offset bytes. The size of the object that the response states, if it does, must be
// the new one; some servers state the size of what was appended instead.
func Append(ctx context.Context, s Session, c *Call, offset int64) error {
	c.Begin(http.MethodPut, MakesObjects)
	c.Headers = append(c.Headers, Header{Name: "X-Amz-Write-Offset-Bytes", Value: strconv.FormatInt(offset, 10)})
	c.Want = append(c.Want, "x-amz-object-size")
	appended := c.Size
	if err := s.Do(ctx, c); err != nil {
		return err
	}
	if c.Got[0] == "" {
		return nil
	}
	size, err := strconv.ParseInt(c.Got[0], 10, 64)
	if err != nil || size != offset+appended && size != appended {
		return &Error{
			Class: ClassWrongLength, Status: c.Status,
			Message: oneLine("appended " + strconv.FormatInt(appended, 10) + " bytes at " + strconv.FormatInt(offset, 10) + ", the response states a size of " + c.Got[0]),
		}
	}
	return nil
}
