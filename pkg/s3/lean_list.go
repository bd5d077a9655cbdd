package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"

	"warp/pkg/s3/lean"
)

// List reads one page of a listing.
func (s *leanSession) List(ctx context.Context, c *Call) error {
	query := escapeQuery(listQuery(c))
	s.mu.Lock()
	defer s.done()
	s.ask = lean.Request{Form: s.store.forms.list, Query: []byte(query)}
	if err := s.perform(ctx, c, (*leanSession).tookList); err != nil {
		return err
	}
	return s.paging.check(c)
}

func (s *leanSession) tookList(c *Call) error {
	c.Entries, c.Next = c.Entries[:0], ""
	if err := readListing(s.client, c); err != nil {
		return err
	}
	_, err := s.client.Discard()
	return err
}

// DeleteMany deletes up to 1000 objects in one request. The server is asked to name only those that it did not delete.
func (s *leanSession) DeleteMany(ctx context.Context, c *Call) error {
	body, err := deleteBody(c.Objects)
	if err != nil {
		return err
	}
	sum, check := sha256.Sum256(body), md5.Sum(body)
	s.mu.Lock()
	defer s.done()
	s.ask = lean.Request{
		Form: s.store.forms.delMany, Query: []byte(escapeQuery(url.Values{"delete": {""}})), Size: int64(len(body)),
		Payload: hex.EncodeToString(sum[:]), MD5: base64.StdEncoding.EncodeToString(check[:]),
	}
	s.ask.Body = bytes.NewReader(body)
	return s.perform(ctx, c, (*leanSession).tookDeleted)
}

func (s *leanSession) tookDeleted(c *Call) error {
	c.Failed = c.Failed[:0]
	if err := readDeleted(s.client, c); err != nil {
		return err
	}
	_, err := s.client.Discard()
	return err
}
