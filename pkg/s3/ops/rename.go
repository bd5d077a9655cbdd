package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"warp/pkg/s3"
)

// Rename gives an object, source as CopySource states it, the name c.Key in the same bucket. A request that is sent again has the same
// token, so that a server that has renamed the object already confirms it. c.Source is the source afterwards.
func Rename(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	c.Begin(http.MethodPut, s3.NoAccess)
	c.Act = s3.Act{Words: "rename objects", Right: "s3:PutObject and s3:DeleteObject"}
	c.Body, c.Size = nil, 0
	c.Query = append(c.Query, s3.Param{Name: "renameObject"})
	var buf [512]byte
	sum := sha256.Sum256(append(append(append(buf[:0], source...), '\n'), c.Key...))
	c.Headers = append(c.Headers,
		s3.Header{Name: "X-Amz-Rename-Source", Value: source},
		s3.Header{Name: "X-Amz-Client-Token", Value: hex.EncodeToString(sum[:16])})
	err := s.Do(ctx, c)
	c.Source = source // only now: before, it would be the source of a copy
	return err
}

// SourceKey returns the key of a source in the form of CopySource; empty if the source is malformed.
func SourceKey(source string) string {
	path, _, _ := strings.Cut(source, "?versionId=")
	_, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	key, err := url.PathUnescape(key)
	if err != nil {
		return ""
	}
	return key
}
