package xmlapi_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"warp/internal/responder/gcsxml"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

type (
	answer = s3test.Answer
	fake   = s3test.Canned
)

// usual are headers that say nothing of a request; what proves it is checked.
var usual = []string{
	"Authorization", "Content-Length", "Content-Md5", "Content-Type", "Host", "User-Agent", "X-Goog-Content-Sha256", "X-Goog-Date",
}

// unusual are the other headers.
func unusual(h http.Header) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h)), func(name string) bool { return slices.Contains(usual, name) })
}

// checkProof checks who asks.
func checkProof(t *testing.T, proof string, r *http.Request) {
	got := r.Header.Get("Authorization")
	switch {
	case proof == "" && got != "", proof == "bearer" && got != "Bearer "+gcsxml.Token:
		t.Errorf("%s %s: Authorization %q", r.Method, r.RequestURI, got)
	case proof == "":
	case gcsxml.Check(r) != "":
		t.Errorf("%s %s: %s: Authorization\n%s, want\n%s", r.Method, r.RequestURI, gcsxml.Check(r), got, gcsxml.Authorization(r))
	}
	if r.Header.Get("Accept-Encoding") != "" { // Google changes it on the way
		t.Errorf("%s %s: Accept-Encoding", r.Method, r.RequestURI)
	}
}

// eachEngine runs a test with a session of each engine, and each proof.
func eachEngine(t *testing.T, change func(*s3.Config), test func(t *testing.T, f *fake, s s3.Session)) {
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		for _, proof := range []string{"HMAC", "bearer", ""} {
			t.Run(engine+" "+proof, func(t *testing.T) {
				cfg := s3.Config{Store: s3.StoreGCS, API: s3.APIXML, Bucket: "box", Engine: engine}
				switch proof {
				case "HMAC":
					cfg.AccessKey, cfg.SecretKey = gcsxml.Access, gcsxml.Secret
				case "bearer":
					cfg.SessionToken, cfg.Bearer = gcsxml.Token, true
				}
				if change != nil {
					change(&cfg)
				}
				f := &fake{Noted: unusual, Check: func(r *http.Request, _ []byte) { checkProof(t, proof, r) }}
				f.Session(t, cfg, test)
			})
		}
	}
}
