package s3_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// given is a provider that gives one set of keys, once.
type given struct{ credentials.Value }

func (p *given) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return p.Value, nil
}

func (p *given) Retrieve() (credentials.Value, error) { return p.Value, nil }

func (p *given) IsExpired() bool { return false }

// TestTextsOfHeaders: keys and regions with a control character are refused, and none is ever sent, not even by keys that are renewed.
func TestTextsOfHeaders(t *testing.T) {
	for name, change := range map[string]func(c *s3.Config){
		"--access-key: it holds the control character U+000A after 1 bytes (want one line of text)":    func(c *s3.Config) { c.AccessKey = "A\nX-Injected: yes" },
		"--secret-key: it holds the control character U+000D after 1 bytes (want one line of text)":    func(c *s3.Config) { c.SecretKey = "S\r" },
		"--session-token: it holds the control character U+0000 after 0 bytes (want one line of text)": func(c *s3.Config) { c.SessionToken = "\x00" },
		"--region: it holds the control character U+000A after 2 bytes (want one line of text)":        func(c *s3.Config) { c.Region = "eu\n" },
	} {
		cfg := s3.Config{Hosts: []string{"127.0.0.1:1"}, Bucket: "bucket", AccessKey: "A", SecretKey: "S"}
		change(&cfg)
		if _, err := connect.New(cfg); err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
	}
	eachEngine(t, func(t *testing.T, open opener) {
		var injected atomic.Bool
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Injected") != "" {
				injected.Store(true)
			}
			w.WriteHeader(http.StatusNoContent)
		})
		for _, keys := range []credentials.Value{
			{AccessKeyID: "A\r\nX-Injected: yes", SecretAccessKey: "S"},
			{AccessKeyID: "A", SecretAccessKey: "S", SessionToken: "T\r\nX-Injected: yes"},
		} {
			st := open(t, s3.Config{Hosts: []string{host}, AccessKey: "A", SecretKey: "S", Provider: credentials.New(&given{keys})})
			for refused := false; !refused; { // until the first keys are replaced
				refused = ops.Delete(t.Context(), st.Session(0), &s3.Call{Key: "k"}) != nil
			}
		}
		if injected.Load() {
			t.Error("a key became a header")
		}
	})
}
