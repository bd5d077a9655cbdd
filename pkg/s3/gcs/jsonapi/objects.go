package jsonapi

import (
	"context"
	"net/http"
	"net/url"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

var (
	content  = s3.Param{Name: "alt", Value: "media"}
	ofObject = s3.Param{Name: "fields", Value: "generation,size"}
)

// begin begins a request without a body on an object, or a generation of it.
func begin(c *s3.Call, method string, a s3.Access) {
	c.Begin(method, a)
	c.Body = nil
	c.SetQuery("generation", c.Version)
}

// Get downloads an object, or a range of it.
func (d *Dialect) Get(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodGet, s3.ReadsWrites)
	c.Query = append(c.Query, content)
	return s.Do(ctx, c)
}

// Stat reads the facts of an object. There is no HEAD.
func (d *Dialect) Stat(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodGet, s3.NoAccess)
	c.Offset, c.Length, c.Into = 0, 0, nil
	c.Query = append(c.Query, ofObject)
	c.Take = takeObject
	return s.Do(ctx, c)
}

// Delete deletes an object or a generation.
func (d *Dialect) Delete(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodDelete, s3.NoAccess)
	return s.Do(ctx, c)
}

// object is what responses say of one.
type object struct {
	generation []byte
	size       int64 // -1: not said
}

func readObject(text []byte) (o object, err error) {
	o.size = -1
	wrong := members(text, func(name, value []byte) {
		switch string(name) {
		case "generation":
			o.generation, err = plain(value)
		case "size":
			if size, e := number(value); e == nil {
				o.size = size
			} else {
				err = e
			}
		}
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return o, ops.BadResponse("object", err)
	}
	return o, nil
}

// takeObject takes the generation of an object, and holds its size against the one that is expected.
func takeObject(c *s3.Call, text []byte) (generation []byte, err error) {
	return checkedGeneration(c, text, c.Size)
}

// checkedGeneration returns the generation of an object, or an error if its size is not the expected one; -1: any.
func checkedGeneration(c *s3.Call, text []byte, want int64) (generation []byte, err error) {
	o, err := readObject(text)
	if err != nil {
		return nil, err
	}
	if want >= 0 && o.size >= 0 && o.size != want {
		return nil, s3.Errorf(s3.ClassWrongLength, c.Status, "expected an object of %d bytes, got one of %d", want, o.size)
	}
	return o.generation, nil
}

// setJSON makes a JSON text the body of a request.
func setJSON(c *s3.Call, text []byte) {
	c.Body, c.Size = newBytes(text), int64(len(text))
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Type", Value: "application/json"})
}

// Copy has the store copy an object, by as many requests as it wants: one, unless place or storage class differ and the object is large.
func (d *Dialect) Copy(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	from, id, err := ops.ParseCopySource(source)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	into := d.bucketOf(s, c)
	path := exchange.AppendQuery([]byte(d.make+"/"), from)
	path = exchange.AppendQuery(append(path, "/o/"...), id.Key)
	path = append(append(path, "/rewriteTo/b/"...), url.PathEscape(into.name)...)
	path = exchange.AppendQuery(append(path, "/o/"...), c.Key)
	text := d.upload.resource("", nil, c.Key)
	var all sequence
	for token := ""; ; {
		condition, wantETag, size := c.If, c.WantETag, c.Size
		c.Begin(http.MethodPost, s3.NoAccess)
		c.Path = path
		c.SetQuery("rewriteToken", token)
		c.SetQuery("sourceGeneration", id.Version)
		c.Query = append(c.Query, s3.Param{Name: "fields", Value: "done,rewriteToken,resource(generation,size)"})
		setJSON(c, text)
		var r rewritten
		c.Take = func(_ *s3.Call, text []byte) ([]byte, error) {
			r = rewritten{}
			err := r.read(text)
			return r.object.generation, err
		}
		err := s.Do(ctx, c)
		all.add(&c.Response)
		c.Body, c.Size = nil, size
		switch {
		case err != nil:
			return err
		case r.done:
			return nil
		case r.token == "":
			return ops.BadResponse("rewrite", errNoToken)
		}
		token, c.If, c.WantETag = r.token, condition, wantETag
	}
}

// CopyOnto has the store copy an object onto itself.
func (d *Dialect) CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	return d.Copy(ctx, s, c, source)
}

// CopyPart does not exist.
func (d *Dialect) CopyPart(context.Context, s3.Session, *s3.Call, *ops.Document, string, string, int) (ops.Part, error) {
	return ops.Part{}, d.Lacking(s3.CopiedParts)
}

// Append does not exist.
func (d *Dialect) Append(context.Context, s3.Session, *s3.Call, int64) error {
	return d.Lacking(s3.Appending)
}

// CreateUpload does not exist.
func (d *Dialect) CreateUpload(context.Context, s3.Session, *s3.Call) (string, error) {
	return "", d.Lacking(s3.InParts)
}

// PutPart does not exist.
func (d *Dialect) PutPart(context.Context, s3.Session, *s3.Call, string, int) (ops.Part, error) {
	return ops.Part{}, d.Lacking(s3.InParts)
}

// CompleteUpload does not exist.
func (d *Dialect) CompleteUpload(context.Context, s3.Session, *s3.Call, string, []ops.Part) error {
	return d.Lacking(s3.InParts)
}

// AbortUpload does not exist.
func (d *Dialect) AbortUpload(context.Context, s3.Session, *s3.Call, string) error {
	return d.Lacking(s3.InParts)
}
