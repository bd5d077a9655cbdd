package s3_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// TestLive does everything once on a real server, which checks signatures.
func TestLive(t *testing.T) {
	cfg := s3test.LiveConfig(t)
	if made, err := preflight.Open(open(t, cfg)).Ensure(t.Context()); err != nil || !made {
		t.Fatalf("bucket made: %v, %v", made, err)
	}
	b := preflight.Open(open(t, cfg))
	defer func() {
		if err := b.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := b.TryWrite(t.Context(), "p/.preflight"); err != nil {
		t.Error(err)
	}
	cfg.Headers = []s3.Header{{Name: "X-Amz-Meta-Team", Value: "a  b"}}
	for _, mode := range []struct{ engine, signature string }{{"lean", "S3V4"}, {"std", "S3V4"}, {"std", "S3V2"}} {
		cfg := cfg
		cfg.Engine, cfg.Signature = mode.engine, mode.signature
		liveObjects(t, open(t, cfg).Session(0), mode.engine+" "+mode.signature)
		if cfg.TLS && mode.signature == "S3V4" {
			cfg.Encrypt = true
			liveObjects(t, open(t, cfg).Session(0), mode.engine+" SSE-C")
		}
	}
}

func liveObjects(t *testing.T, s s3.Session, mode string) {
	var ids []ops.ObjectID
	var keys []string
	for _, key := range s3test.EscapedKeys {
		body := strings.Repeat(key, 100)
		c := putCall(key, body)
		if err := ops.Put(t.Context(), s, c); err != nil {
			t.Logf("%s: put %q: %v", mode, key, err) // names that the server does not allow
			continue
		}
		ids, keys = append(ids, ops.ObjectID{Key: key}), append(keys, key)
		var got bytes.Buffer
		if err := ops.Get(t.Context(), s, &s3.Call{Key: key, Size: int64(len(body)), Into: &got}); err != nil || got.String() != body {
			t.Errorf("%s: get %q: %d bytes, %v", mode, key, got.Len(), err)
		}
		got.Reset()
		if err := ops.Get(t.Context(), s, &s3.Call{Key: key, Offset: 3, Length: 7, Into: &got}); err != nil || got.String() != body[3:10] {
			t.Errorf("%s: ranged get %q: %q, %v", mode, key, got.String(), err)
		}
		if err := ops.Stat(t.Context(), s, &s3.Call{Key: key}); err != nil {
			t.Errorf("%s: stat %q: %v", mode, key, err)
		}
	}
	for _, all := range []bool{false, true} {
		var listed []string
		c, l := s3.Call{}, ops.Listing{MaxKeys: 3, All: all}
		for {
			if err := ops.List(t.Context(), s, &c, &l); err != nil {
				t.Errorf("%s: list, all %v: %v", mode, all, err)
				break
			}
			for _, e := range l.Entries {
				listed = append(listed, e.Key)
			}
			if l.Token = l.Next; l.Token == "" {
				break
			}
		}
		slices.Sort(listed)
		slices.Sort(keys)
		if !slices.Equal(listed, keys) {
			t.Errorf("%s: listed, all %v: %q, want %q", mode, all, listed, keys)
		}
	}
	half := len(ids) / 2
	if err := ops.DeleteMany(t.Context(), s, &s3.Call{}, &ops.Deletion{Objects: ids[:half]}); err != nil {
		t.Errorf("%s: multi-delete: %v", mode, err)
	}
	for _, id := range ids[half:] {
		if err := ops.Delete(t.Context(), s, &s3.Call{Key: id.Key}); err != nil {
			t.Errorf("%s: delete %q: %v", mode, id.Key, err)
		}
	}
}
