package s3_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// payloads are the ways to sign and check uploads.
var payloads = map[string]s3.Uploads{
	"unsigned":              {},
	"signed":                {Payload: s3.PayloadSigned},
	"streaming":             {Payload: s3.PayloadStreaming},
	"checksum":              {Checksum: "CRC32C"},
	"trailer":               {Checksum: "CRC64NVME", Trailer: true, Payload: s3.PayloadUnsigned},
	"signed trailer":        {Checksum: "SHA256", Trailer: true, Payload: s3.PayloadStreaming},
	"streaming, a checksum": {Checksum: "SHA1", Payload: s3.PayloadStreaming},
	"trailer, XXH128":       {Checksum: "XXHASH128", Trailer: true, Payload: s3.PayloadStreaming},
	"header, XXH3":          {Checksum: "XXHASH3"},
	"header, MD5":           {Checksum: "MD5"},
	"trailer by default":    {Checksum: "CRC32", Trailer: true}, // what is signed follows from the scheme
}

// TestSignedContents: a server that checks the signatures of requests, chunks and trailers, and all checksums, accepts every kind of
// payload: with keys that last, with temporary ones, and with keys of sessions with a directory bucket.
func TestSignedContents(t *testing.T) {
	keys := map[string]responder.Key{"lasting": {Access: "AKEY", Secret: "SKEY"}, "temporary": {Access: "ASIAKEY", Secret: "S/KEY+", Token: "TOKEN/+="}}
	eachEngine(t, func(t *testing.T, open opener) {
		for _, bucket := range []string{"bucket", directoryBucket} {
			for kind, key := range keys {
				t.Run(bucket+" "+kind, func(t *testing.T) {
					server := serve(t, responder.Options{Keep: true, Buckets: []string{directoryBucket}, SessionLife: time.Minute, Keys: []responder.Key{key}})
					cfg := s3.Config{Hosts: []string{server.Host()}, Bucket: bucket, AccessKey: s3.Secret(key.Access), SecretKey: s3.Secret(key.Secret), SessionToken: s3.Secret(key.Token)}
					for name, u := range payloads {
						cfg.Uploads = u
						store := open(t, cfg)
						for _, size := range []int{0, 5, 1 << 16, 150_000} {
							if err := roundTrip(t, store.Session(0), strings.Repeat("0123456789", size/10+1)[:size]); err != nil {
								t.Errorf("%s, %d bytes: %v", name, size, err)
							}
						}
						store.Close()
					}
				})
			}
		}
	})
}

// roundTrip uploads a text as one object and as a part of another, and reads both.
func roundTrip(t *testing.T, s s3.Session, text string) error {
	t.Helper()
	if err := ops.Put(t.Context(), s, putCall("a key", text)); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	id, err := ops.CreateUpload(t.Context(), s, &s3.Call{Key: "in parts"})
	if err != nil {
		return fmt.Errorf("create upload: %w", err)
	}
	part, err := ops.PutPart(t.Context(), s, putCall("in parts", text), id, 1)
	if err != nil {
		return fmt.Errorf("put part: %w", err)
	}
	if err := ops.CompleteUpload(t.Context(), s, &s3.Call{Key: "in parts"}, id, []ops.Part{part}); err != nil {
		return fmt.Errorf("complete upload: %w", err)
	}
	for _, key := range []string{"a key", "in parts"} {
		var got bytes.Buffer
		if err := ops.Get(t.Context(), s, &s3.Call{Key: key, Size: int64(len(text)), Into: &got}); err != nil {
			return fmt.Errorf("get %s: %w", key, err)
		}
		if got.String() != text {
			return fmt.Errorf("%s: the server has other contents", key)
		}
	}
	return nil
}

// TestSignedAhead: a server that checks signatures accepts requests that are signed ahead, with both kinds of keys.
func TestSignedAhead(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		for _, key := range []responder.Key{{Access: "AKEY", Secret: "SKEY"}, {Access: "ASIAKEY", Secret: "S", Token: "TOKEN/+="}} {
			server := serve(t, responder.Options{Keys: []responder.Key{key}})
			s := open(t, s3.Config{
				Hosts: []string{server.Host()}, AccessKey: s3.Secret(key.Access), SecretKey: s3.Secret(key.Secret), SessionToken: s3.Secret(key.Token),
				Headers: []s3.Header{{Name: "X-Amz-Meta-A", Value: "b  c"}},
			}).Session(0)
			c := putCall("a/b c+d", "hello")
			c.Auth = s3.AuthQuery
			if err := ops.Put(t.Context(), s, c); err != nil {
				t.Error(err)
			}
			if err := ops.Get(t.Context(), s, &s3.Call{Auth: s3.AuthQuery, Key: "a/b c+d", Size: 5}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestSpoiltContents: the server of these tests refuses what was changed on its way, or signed with another key.
func TestSpoiltContents(t *testing.T) {
	flip := func(what string) func([]byte) []byte {
		return func(body []byte) []byte {
			at := bytes.Index(body, []byte(what)) + len(what)
			body[at] ^= 1
			return body
		}
	}
	for name, tc := range map[string]struct {
		uploads s3.Uploads
		secret  string
		spoil   func([]byte) []byte
		class   string
	}{
		"another key":            {uploads: payloads["unsigned"], secret: "OTHER", class: "403 SignatureDoesNotMatch"},
		"signed contents":        {uploads: payloads["signed"], spoil: flip("start "), class: "400 XAmzContentSHA256Mismatch"},
		"first chunk":            {uploads: payloads["streaming"], spoil: flip("start "), class: "403 SignatureDoesNotMatch"},
		"last chunk":             {uploads: payloads["streaming"], spoil: flip("end "), class: "403 SignatureDoesNotMatch"},
		"signature of a chunk":   {uploads: payloads["streaming"], spoil: flip("chunk-signature="), class: "403 SignatureDoesNotMatch"},
		"checksum":               {uploads: payloads["checksum"], spoil: flip("end "), class: "400 BadDigest"},
		"contents and trailer":   {uploads: payloads["trailer"], spoil: flip("end "), class: "400 BadDigest"},
		"trailer":                {uploads: payloads["trailer"], spoil: flip("x-amz-checksum-crc64nvme:"), class: "400 BadDigest"},
		"another trailer":        {uploads: payloads["trailer"], spoil: flip("x-amz-checksum-"), class: "400 MalformedTrailerError"},
		"signed trailer":         {uploads: payloads["signed trailer"], spoil: flip("x-amz-checksum-sha256:"), class: "403 SignatureDoesNotMatch"},
		"signature of a trailer": {uploads: payloads["signed trailer"], spoil: flip("x-amz-trailer-signature:"), class: "403 SignatureDoesNotMatch"},
		"a chunk is missing":     {uploads: payloads["streaming"], spoil: func(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("\r\n0;"))+2] }, class: "400 IncompleteBody"},
	} {
		t.Run(name, func(t *testing.T) {
			backend := serve(t, responder.Options{Keys: []responder.Key{{Access: "AKEY", Secret: "SKEY"}}})
			host := handle(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if tc.spoil != nil {
					body = tc.spoil(body)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				backend.ServeHTTP(w, r)
			})
			secret := cmp.Or(tc.secret, "SKEY")
			s := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AKEY", SecretKey: s3.Secret(secret), Uploads: tc.uploads}).Session(0)
			if err := ops.Put(t.Context(), s, putCall("k", "start "+strings.Repeat("x", 100_000)+" end of it")); class(err) != tc.class {
				t.Errorf("%v, want %s", err, tc.class)
			}
		})
	}
}
