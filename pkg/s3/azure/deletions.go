package azure

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// permanent is the header that says whether what was deleted is gone.
const permanent = "x-ms-delete-type-permanent"

// Delete deletes a blob with its snapshots, or a version.
func (d *Dialect) Delete(ctx context.Context, s s3.Session, c *s3.Call) error {
	id := ops.ObjectID{Key: c.Key, Version: c.Version}
	err := d.delete(ctx, s, c)
	if !isCurrent(err) || id.Version == "" {
		return err
	}
	first := c.Response
	defer func() { c.After(&first) }()
	c.Key = id.Key
	return d.deleteCurrent(ctx, s, c, id.Version)
}

// delete sends the request.
func (d *Dialect) delete(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodDelete, s3.NoAccess)
	if c.Version == "" {
		c.Headers = append(c.Headers, s3.Header{Name: "X-Ms-Delete-Snapshots", Value: "include"})
	}
	c.Want = append(c.Want, permanent)
	err := s.Do(ctx, c)
	if err == nil && c.Version == "" {
		d.deleted(c.Got[0])
	}
	return err
}

// isCurrent reports whether a version cannot be deleted since it is the current one.
func isCurrent(err error) bool {
	return err != nil && s3.AsError(err).Code == "OperationNotAllowedOnRootBlob"
}

// deleteCurrent deletes the version that is the current one: it must cease to be that first. If somebody has replaced it meanwhile, the one
// in its place stays.
func (d *Dialect) deleteCurrent(ctx context.Context, s s3.Session, c *s3.Call, version string) error {
	d.account.versions.Store(true)
	look := s3.Call{Key: c.Key, Bucket: c.Bucket, Other: c.Other, Version: version, Size: -1, WantETag: true}
	if err := d.Stat(ctx, s, &look); err != nil {
		return err
	}
	condition := c.If
	c.Version, c.If = "", s3.Conditions{Match: look.ETag}
	err := d.delete(ctx, s, c)
	c.After(&look.Response)
	if err != nil && !s3.IsNotFound(err) && s3.AsError(err).Status != http.StatusPreconditionFailed {
		return err
	}
	before := c.Response
	defer func() { c.After(&before) }()
	c.Version, c.If = version, condition
	return d.delete(ctx, s, c)
}

// deleteCurrents deletes the versions of a batch that were refused since they are the current ones.
func (d *Dialect) deleteCurrents(ctx context.Context, s s3.Session, c *s3.Call, many *ops.Deletion) {
	failed, places := many.Failed[:0], many.Places[:0]
	for i, f := range many.Failed {
		if isCurrent(f.Err) && f.Version != "" {
			one := s3.Call{Key: f.Key, Bucket: c.Bucket, Other: c.Other, Size: -1}
			if f.Err = d.deleteCurrent(ctx, s, &one, f.Version); f.Err == nil {
				continue
			}
		}
		failed, places = append(failed, f), append(places, many.Places[i])
	}
	many.Failed, many.Places = failed, places
}

// RemoveDirectories removes the directories below a prefix, and the one that it names, the deepest first. One that holds anything stays, as
// the store refuses to delete it. Accounts without a hierarchical namespace have none.
func (d *Dialect) RemoveDirectories(ctx context.Context, s s3.Session, prefix string) error {
	top := strings.TrimSuffix(prefix, "/")
	if !d.account.directories.Load() || top == "" || top == prefix {
		return nil
	}
	var names []string
	for marker := ""; ; {
		c := s3.Call{}
		next, err := d.listDirectories(ctx, s, &c, top, marker, func(name string) {
			if name == top || strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		})
		if err != nil {
			return err
		}
		if marker = next; marker == "" {
			break
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) }) // a directory begins the names of what is in it
	for _, name := range names {
		c := s3.Call{Key: name, Size: -1}
		begin(&c, http.MethodDelete, s3.NoAccess)
		err := s.Do(ctx, &c)
		if e := s3.AsError(err); err != nil && e.Status != http.StatusConflict && e.Status != http.StatusNotFound {
			return err
		}
	}
	return nil
}

// listDirectories reads a page of the directories whose names begin with a prefix.
func (d *Dialect) listDirectories(
	ctx context.Context, s s3.Session, c *s3.Call, prefix, marker string, each func(name string),
) (next string, err error) {
	beginList(c, prefix, 0, marker)
	c.SetQuery("showonly", "directories")
	l := ops.Listing{Prefix: prefix, Token: marker}
	c.Parse = directoriesIn(&l, each)
	err = s.Do(ctx, c)
	return l.Next, err
}
