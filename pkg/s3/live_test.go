package s3_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// liveConfig is the way to a real server, from WARP_TEST_HOST (a URL), WARP_TEST_ACCESS_KEY and WARP_TEST_SECRET_KEY.
func liveConfig(t *testing.T) s3.Config {
	t.Helper()
	if os.Getenv("WARP_TEST_HOST") == "" {
		t.Skip("WARP_TEST_HOST names no server to test against")
	}
	hosts, tls, err := target.ExpandHosts(os.Getenv("WARP_TEST_HOST"), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s3.Config{
		Hosts: hosts, Bucket: "warp-live-test", Insecure: true,
		AccessKey: s3.Secret(os.Getenv("WARP_TEST_ACCESS_KEY")), SecretKey: s3.Secret(os.Getenv("WARP_TEST_SECRET_KEY")),
	}
	cfg.TLS = tls != nil && *tls
	return cfg
}

// TestLive does everything once on a real server, which checks signatures.
func TestLive(t *testing.T) {
	cfg := liveConfig(t)
	if made, err := open(t, cfg).Bucket().Ensure(t.Context()); err != nil || !made {
		t.Fatalf("bucket made: %v, %v", made, err)
	}
	b := open(t, cfg).Bucket()
	defer func() {
		if err := b.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := s3.Preflight(t.Context(), cfg, "p/.preflight"); err != nil {
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
	var ids []s3.ObjectID
	var keys []string
	for _, key := range oddKeys {
		body := strings.Repeat(key, 100)
		c := putCall(key, body)
		if err := s3.Put(t.Context(), s, c); err != nil {
			t.Logf("%s: put %q: %v", mode, key, err) // names that the server does not allow
			continue
		}
		ids, keys = append(ids, s3.ObjectID{Key: key}), append(keys, key)
		var got bytes.Buffer
		if err := s3.Get(t.Context(), s, &s3.Call{Key: key, Size: int64(len(body)), Into: &got}); err != nil || got.String() != body {
			t.Errorf("%s: get %q: %d bytes, %v", mode, key, got.Len(), err)
		}
		got.Reset()
		if err := s3.Get(t.Context(), s, &s3.Call{Key: key, Offset: 3, Length: 7, Into: &got}); err != nil || got.String() != body[3:10] {
			t.Errorf("%s: ranged get %q: %q, %v", mode, key, got.String(), err)
		}
		if err := s3.Stat(t.Context(), s, &s3.Call{Key: key}); err != nil {
			t.Errorf("%s: stat %q: %v", mode, key, err)
		}
	}
	for _, all := range []bool{false, true} {
		var listed []string
		c, l := s3.Call{}, s3.Listing{MaxKeys: 3, All: all}
		for {
			if err := s3.List(t.Context(), s, &c, &l); err != nil {
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
	if err := s3.DeleteMany(t.Context(), s, &s3.Call{}, &s3.Deletion{Objects: ids[:half]}); err != nil {
		t.Errorf("%s: multi-delete: %v", mode, err)
	}
	for _, id := range ids[half:] {
		if err := s3.Delete(t.Context(), s, &s3.Call{Key: id.Key}); err != nil {
			t.Errorf("%s: delete %q: %v", mode, id.Key, err)
		}
	}
}

// TestLiveDiagnoses makes mistakes that a real server must notice.
func TestLiveDiagnoses(t *testing.T) {
	cfg := liveConfig(t)
	wrong := cfg
	wrong.SecretKey = "not the secret"
	_, err := open(t, wrong).Bucket().Ensure(t.Context())
	wantDiagnosis(t, err, "secret key is wrong")
	wrong = cfg
	wrong.AccessKey = "nobody"
	_, err = open(t, wrong).Bucket().Ensure(t.Context())
	wantDiagnosis(t, err, "access key")
	wantDiagnosis(t, s3.Preflight(t.Context(), cfg, "k"), "does not exist")
	wrong = cfg
	wrong.TLS = !cfg.TLS
	wantDiagnosis(t, s3.Preflight(t.Context(), wrong, "k"), "--tls")
}
