package gcsxml

import (
	"cmp"
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const maxPage = 1000

type listed struct {
	Key        string
	Generation int64
	Size       int64
	ETag       string
}

type prefix struct{ Prefix string }

type listing struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	EncodingType          string   `xml:",omitempty"`
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	NextMarker            string `xml:",omitempty"`
	Contents              []listed
	CommonPrefixes        []prefix
}

// list makes a page of a listing, of version 2 or 1. Names of the page before do not come again.
func (s *Store) list(q *request) response {
	most, escape := maxPage, func(text string) string { return text }
	if n, err := strconv.Atoi(q.query.Get("max-keys")); err == nil {
		most = min(most, n)
	}
	l := listing{EncodingType: q.query.Get("encoding-type")}
	if l.EncodingType == "url" {
		escape = url.QueryEscape
	}
	below, delimiter := q.query.Get("prefix"), q.query.Get("delimiter")
	from := cmp.Or(q.query.Get("continuation-token"), q.query.Get("start-after"), q.query.Get("marker"))
	last := ""
	for _, key := range s.below(q.x.Bucket, below, from) {
		name, rolled := key, false
		if i := strings.Index(key[len(below):], delimiter); delimiter != "" && i >= 0 {
			name, rolled = key[:len(below)+i+len(delimiter)], true
		}
		if name == last || rolled && name == from {
			continue
		}
		if len(l.Contents)+len(l.CommonPrefixes) == most {
			l.IsTruncated = true
			break
		}
		if last = name; rolled {
			l.CommonPrefixes = append(l.CommonPrefixes, prefix{escape(name)})
			continue
		}
		o := s.buckets[q.x.Bucket][key]
		l.Contents = append(l.Contents, listed{escape(key), o.generation, o.size, o.etag})
	}
	switch {
	case !l.IsTruncated:
	case q.query.Get("list-type") == "2":
		l.NextContinuationToken = last
	default:
		l.NextMarker = escape(last)
	}
	return response{status: http.StatusOK, document: l}
}

type unfinished struct {
	Key      string
	UploadID string `xml:"UploadId"`
}

type uploadListing struct {
	XMLName xml.Name `xml:"ListMultipartUploadsResult"`
	Upload  []unfinished
}

func (s *Store) listUploads(q *request) response {
	var l uploadListing
	for id, u := range s.uploads {
		if u.bucket == q.x.Bucket && strings.HasPrefix(u.key, q.query.Get("prefix")) {
			l.Upload = append(l.Upload, unfinished{u.key, id})
		}
	}
	slices.SortFunc(l.Upload, func(a, b unfinished) int { return strings.Compare(a.Key+" "+a.UploadID, b.Key+" "+b.UploadID) })
	return response{status: http.StatusOK, document: l}
}
