package jsonapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Tags are metadata of the object, except for what uploads of the run give to each object.

const metadataField = "metadata"

// PutTag sets a tag, and leaves others: a PATCH merges.
func (d *Dialect) PutTag(ctx context.Context, s s3.Session, c *s3.Call, _ *ops.Document, key string, value uint64) error {
	text, err := json.Marshal(map[string]any{metadataField: map[string]string{key: strconv.FormatUint(value, 10)}})
	if err != nil {
		return s3.InvalidRequest(err)
	}
	return patch(ctx, s, c, "replace the metadata of objects", text)
}

var noMetadata = []byte(`{"metadata":null}`)

// DeleteTags removes all metadata.
func (d *Dialect) DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	return patch(ctx, s, c, "remove the metadata of objects", noMetadata)
}

// patch changes the facts of an object.
func patch(ctx context.Context, s s3.Session, c *s3.Call, words string, text []byte) error {
	begin(c, http.MethodPatch, s3.NoAccess)
	c.Act = s3.Act{Words: words, Right: "storage.objects.update"}
	c.Query = append(c.Query, s3.Param{Name: "fields", Value: "generation"})
	setJSON(c, text)
	c.Take = func(_ *s3.Call, text []byte) ([]byte, error) {
		o, err := readObject(text)
		return o.generation, err
	}
	return s.Do(ctx, c)
}

// GetTags reads the tags of an object.
func (d *Dialect) GetTags(ctx context.Context, s s3.Session, c *s3.Call, doc *ops.Document) error {
	begin(c, http.MethodGet, s3.NoAccess)
	c.Size, c.Act = -1, s3.Act{Words: "read the metadata of objects", Right: "storage.objects.get"}
	c.Query = append(c.Query, s3.Param{Name: "fields", Value: metadataField})
	c.Take = func(_ *s3.Call, text []byte) ([]byte, error) {
		doc.ClearTags()
		return nil, d.readTags(text, doc)
	}
	return s.Do(ctx, c)
}

func (d *Dialect) readTags(text []byte, doc *ops.Document) error {
	var wrong error
	add := func(name, value []byte) {
		key, err := unescape(name)
		text, err2 := plain(value)
		if wrong = errors.Join(wrong, err, err2); !d.upload.gives(key) {
			doc.AddTag(key, text)
		}
	}
	err := members(text, func(name, value []byte) {
		if string(name) == metadataField {
			wrong = errors.Join(members(value, add), wrong)
		}
	})
	if err = errors.Join(err, wrong); err != nil {
		return ops.BadResponse("object", err)
	}
	return nil
}

// ReadTags returns the tags of an object.
func (d *Dialect) ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (map[string]string, error) {
	var doc ops.Document
	if err := d.GetTags(ctx, s, c, &doc); err != nil {
		return nil, err
	}
	return doc.AllTags(), nil
}
