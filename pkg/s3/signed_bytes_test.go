package s3_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// TestAnyBytesAreSigned: a key may hold any byte, whether that is UTF-8 or not, and both engines sign it as a server does that goes by the
// document, with a header and with a query.
func TestAnyBytesAreSigned(t *testing.T) {
	var keys []string
	for c := range 256 {
		keys = append(keys, string([]byte{'k', byte(c), 'x'}))
	}
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{"\x80", "\xff", "\xc3", "ü", "日", "\xf0\x9f", "a", "/", "//", ".", "%", "%41", "+", " ", "?", "#", "\x00", "\ufffd"}
	for range 200 {
		key := "m"
		for range 1 + r.IntN(6) {
			key += parts[r.IntN(len(parts))]
		}
		keys = append(keys, key)
	}
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		server := signing(t)
		sess := open(t, s3.Config{Hosts: []string{server.Host()}, AccessKey: "AK", SecretKey: "SK", SessionToken: "TK", Bucket: "bucket"}).Session(0)
		for i, key := range keys {
			body := fmt.Sprint("contents ", i)
			for _, auth := range []s3.Auth{s3.AuthHeader, s3.AuthQuery} {
				if err := ops.Put(t.Context(), sess, &s3.Call{Auth: auth, Key: key, Body: strings.NewReader(body), Size: int64(len(body))}); err != nil {
					t.Errorf("put %q: %v", key, err)
				}
				var got strings.Builder
				if err := ops.Get(t.Context(), sess, &s3.Call{Auth: auth, Key: key, Size: int64(len(body)), Into: &got}); err != nil || got.String() != body {
					t.Errorf("get %q: %q, %v", key, got.String(), err)
				}
			}
		}
	})
}

// signing starts a server that checks signatures.
func signing(t *testing.T) *responder.Server {
	t.Helper()
	r, err := responder.New(responder.Options{Buckets: []string{"bucket"}, Keep: true, Keys: []responder.Key{{Access: "AK", Secret: "SK", Token: "TK"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestValuesAreSentAsGiven: blanks within the value of a header arrive as they are, and are folded in what is signed only: spaces and tabs, as the
// document has it, but no others.
func TestValuesAreSentAsGiven(t *testing.T) {
	values := []string{"a b", "a  b", "a \t b", "a\tb", "a\u00a0b", "a\u00a0\u00a0b", "a\u3000b", "a\u2028b", "ü  y", "a\u0085b", "  a  ", "\ta\t"}
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		host, latest := receive(t)
		server := signing(t)
		for _, value := range values {
			for _, auth := range []s3.Auth{s3.AuthHeader, s3.AuthQuery} {
				headers := []s3.Header{{Name: "X-Amz-Meta-Common", Value: value}}
				for _, to := range []string{host, server.Host()} {
					store := open(t, s3.Config{Hosts: []string{to}, AccessKey: "AK", SecretKey: "SK", SessionToken: "TK", Bucket: "bucket", Headers: headers})
					call := &s3.Call{}
					call.Begin("PUT", s3.MakesObjects)
					call.Auth, call.Key, call.Body, call.Size = auth, "k", strings.NewReader("text"), 4
					call.Headers = []s3.Header{{Name: "X-Amz-Meta-Own", Value: value}}
					if err := store.Session(0).Do(t.Context(), call); err != nil {
						t.Errorf("%q: %v", value, err)
					}
				}
				for _, name := range []string{"X-Amz-Meta-Common", "X-Amz-Meta-Own"} {
					if got, want := latest().Header.Get(name), strings.Trim(value, " \t"); got != want {
						t.Errorf("%s: %q arrived, want %q", name, got, want)
					}
				}
			}
		}
	})
}
