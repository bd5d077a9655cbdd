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

// Uploads calls each for every unfinished upload below prefix, once for each even where several hosts show it.
func (b *sdkBucket) Uploads(ctx context.Context, prefix string, each func(Upload) error) error {
	seen := map[Upload]bool{}
	for _, h := range b.store.hosts {
		err := b.uploadsOn(ctx, h, prefix, func(u Upload) error {
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

func (b *sdkBucket) uploadsOn(ctx context.Context, h *sdkHost, prefix string, each func(Upload) error) error {
	query := url.Values{"uploads": {""}, "prefix": {prefix}, "encoding-type": {"url"}}
	for pages := (paging{}); ; {
		page, err := b.uploadsPage(ctx, h, query)
		if err != nil {
			return err
		}
		for _, u := range page.uploads {
			if !strings.HasPrefix(u.Key, prefix) {
				return diagnose(&b.store.cfg, h.url, actUploads, errForeign(u.Key, prefix, http.StatusOK))
			}
			if err := each(u); err != nil {
				return err
			}
		}
		if !page.truncated {
			return nil
		}
		if page.key == "" || pages.repeats(page.key+markers+page.id) {
			return diagnose(&b.store.cfg, h.url, actUploads, errNoEnd(http.StatusOK))
		}
		query.Set("key-marker", page.key)
		query.Set("upload-id-marker", page.id)
	}
}

func (b *sdkBucket) uploadsPage(ctx context.Context, h *sdkHost, query url.Values) (page *uploadsListing, err error) {
	_, err = b.ask(ctx, h, actUploads, func(ctx context.Context, x *exchange) error {
		body, err := h.raw(ctx, x, http.MethodGet, query, nil)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		var readErr *Error
		if page, readErr = readUploads(body); readErr != nil {
			readErr.Status = x.status
			return readErr
		}
		return nil
	})
	return page, err
}

// uploadsListing is a page of a listing of unfinished uploads.
type uploadsListing struct {
	uploads   []Upload
	upload    Upload
	truncated bool
	encode    string
	key, id   string // markers of the next page
}

func (l *uploadsListing) element(e element) {
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

func readUploads(r io.Reader) (*uploadsListing, *Error) {
	l := &uploadsListing{}
	root, err := xmlWalk(r, l.element)
	switch {
	case err != nil:
		return nil, badAnswer(root, err)
	case root != "ListMultipartUploadsResult":
		return nil, badAnswer(root, errors.New("not a listing of uploads"))
	case len(l.uploads) > MaxEntries:
		return nil, errListing(0, fmt.Sprintf("a page of more than %d uploads", MaxEntries))
	}
	if !strings.EqualFold(l.encode, "url") {
		return l, nil
	}
	for i := range l.uploads {
		if l.uploads[i].Key, err = url.QueryUnescape(l.uploads[i].Key); err != nil {
			return nil, badAnswer(root, err)
		}
	}
	if l.key, err = url.QueryUnescape(l.key); err != nil {
		return nil, badAnswer(root, err)
	}
	return l, nil
}
