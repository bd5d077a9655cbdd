package xmlapi

import (
	"context"
	"net/http"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Compose has the store join objects. The response does not state the size of the new one.
func (d *Dialect) Compose(ctx context.Context, s s3.Session, c *s3.Call, sources []string) error {
	var b strings.Builder
	b.WriteString("<ComposeRequest>")
	for _, key := range sources {
		b.WriteString("<Component><Name>" + ops.EscapeXML(key) + "</Name></Component>")
	}
	b.WriteString("</ComposeRequest>")
	c.Begin(http.MethodPut, s3.NoAccess) // no checksum: it would be compared with the one of the new object
	c.Query = append(c.Query, s3.Param{Name: "compose"})
	c.Body, c.Size = strings.NewReader(b.String()), int64(b.Len())
	for _, h := range d.Config.Headers {
		if name := d.Upload(h.Name); name != "" {
			c.Headers = append(c.Headers, s3.Header{Name: name, Value: h.Value})
		}
	}
	if !s3.HasHeader(c.Headers, contentType.Name) {
		c.Headers = append(c.Headers, contentType)
	}
	return s.Do(ctx, c)
}

// contentType is that of the new object, not of the request.
var contentType = s3.Header{Name: "Content-Type", Value: "application/octet-stream"}
