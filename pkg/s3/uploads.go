package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Upload is an unfinished multipart upload.
type Upload struct{ Key, ID string }

// Uploads calls each for every unfinished upload below prefix, once for each even where several hosts show it.
func (b *bucket) Uploads(ctx context.Context, prefix string, each func(Upload) error) error {
	seen := map[Upload]bool{}
	for i := range b.store.endpoints {
		err := b.uploadsOn(ctx, i, prefix, func(u Upload) error {
			if seen[u] {
				return nil
			}
			seen[u] = true
			return each(u)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) uploadsOn(ctx context.Context, i int, prefix string, each func(Upload) error) error {
	cfg, host := &b.store.cfg, b.store.endpoints[i].url
	page := &uploadsPage{}
	for pages := (paging{}); ; {
		key, id := page.key, page.id
		_, err := b.ask(ctx, i, actUploads, func(ctx context.Context, s Session, c *Call) error {
			c.about("", http.MethodGet, NoAccess)
			c.Query = append(c.Query, Param{Name: "uploads"}, Param{Name: "prefix", Value: prefix}, Param{Name: "encoding-type", Value: "url"})
			if key != "" {
				c.Query = append(c.Query, Param{Name: "key-marker", Value: key}, Param{Name: "upload-id-marker", Value: id})
			}
			c.Parse = func(r io.Reader) (err error) {
				page, err = readUploads(r)
				return err
			}
			return s.Do(ctx, c)
		})
		if err != nil {
			return err
		}
		for _, u := range page.uploads {
			if !strings.HasPrefix(u.Key, prefix) {
				return diagnose(cfg, host, actUploads, errForeign(u.Key, prefix, http.StatusOK))
			}
			if err := each(u); err != nil {
				return err
			}
		}
		if !page.truncated {
			return nil
		}
		if page.key == "" || pages.repeats(page.key+markers+page.id) {
			return diagnose(cfg, host, actUploads, errNoEnd(http.StatusOK))
		}
	}
}

// uploadsPage is a page of a listing of unfinished uploads.
type uploadsPage struct {
	uploads   []Upload
	upload    Upload
	truncated bool
	encode    string
	key, id   string // markers of the next page
}

func (l *uploadsPage) element(e element) {
	switch e.parent {
	case "Upload":
		switch e.name {
		case "Key":
			l.upload.Key = string(e.text)
		case "UploadId":
			l.upload.ID = string(e.text)
		}
	case "ListMultipartUploadsResult":
		switch e.name {
		case "Upload":
			if len(l.uploads) <= MaxEntries { // with one more it is wrong
				l.uploads = append(l.uploads, l.upload)
			}
			l.upload = Upload{}
		case "IsTruncated":
			l.truncated = strings.EqualFold(strings.TrimSpace(string(e.text)), "true")
		case "NextKeyMarker":
			l.key = string(e.text)
		case "NextUploadIdMarker":
			l.id = string(e.text)
		case "EncodingType":
			l.encode = string(e.text)
		}
	}
}

// readUploads reads a page of a listing of unfinished uploads.
func readUploads(r io.Reader) (*uploadsPage, error) {
	l := &uploadsPage{}
	root, err := xmlWalk(r, l.element)
	switch {
	case err != nil:
		return nil, badResponse(root, err)
	case root != "ListMultipartUploadsResult":
		return nil, badResponse(root, errors.New("not a listing of uploads"))
	case len(l.uploads) > MaxEntries:
		return nil, errListing(0, fmt.Sprintf("a page of more than %d uploads", MaxEntries))
	}
	if !strings.EqualFold(l.encode, "url") {
		return l, nil
	}
	for i := range l.uploads {
		if l.uploads[i].Key, err = url.QueryUnescape(l.uploads[i].Key); err != nil {
			return nil, badResponse(root, err)
		}
	}
	if l.key, err = url.QueryUnescape(l.key); err != nil {
		return nil, badResponse(root, err)
	}
	return l, nil
}
