package preflight_test

import (
	"net/http"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/target"
)

// TestKeysAreTried: a key that the store refuses is reported by its number, whether the run writes or only reads.
func TestKeysAreTried(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true})
	host := s3test.Handle(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.Header.Get("Authorization"), "Credential=WRONG/") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>InvalidAccessKeyId</Code></Error>"))
			return
		}
		r.ServeHTTP(w, q)
	})
	others := []target.Key{{Access: "B", Secret: "b"}, {Access: "WRONG", Secret: "SECRETVALUE"}, {Access: "C", Secret: "c"}}
	b := bucket(t, s3.Config{Hosts: []string{host}, AccessKey: "A", SecretKey: "a", OtherKeys: others})
	for what, err := range map[string]error{"write": b.TryWrite(t.Context(), "probe"), "read": b.TryRead(t.Context(), "")} {
		if wantDiagnosis(t, err, "key 3 of --credentials-file: http://"+host+": the host does not know the access key"); err == nil {
			t.Error(what, "succeeds")
		}
	}
	if left := r.Keys("bucket"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	b = bucket(t, s3.Config{Hosts: []string{host}, AccessKey: "A", SecretKey: "a", OtherKeys: others[:1]})
	if err := b.TryWrite(t.Context(), "probe"); err != nil {
		t.Error(err)
	}
}
