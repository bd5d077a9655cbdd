package target

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestRelated(t *testing.T) {
	for pair, want := range map[string]bool{
		"s3.example.com s3.example.com":                                                           true,
		"s3.example.com S3.Example.com.":                                                          true,
		"s3.example.com node7.example.com":                                                        true,
		"s3.example.com bucket.s3.example.com":                                                    true,
		"s3.example.com example.org":                                                              false,
		"s3.example.com s3.example.com.evil.org":                                                  false,
		"s3.example.com evilexample.com":                                                          false,
		"s3.example.co.uk s3.other.co.uk":                                                         false,
		"s3.example.co.uk node.example.co.uk":                                                     true,
		"me.github.io you.github.io":                                                              false,
		"nyc3.digitaloceanspaces.com ams3.digitaloceanspaces.com":                                 false,
		"s3.amazonaws.com s3.eu-west-1.amazonaws.com":                                             true,
		"s3.amazonaws.com bucket.s3.us-gov-west-1.amazonaws.com":                                  true,
		"bucket.s3.amazonaws.com bucket.s3.dualstack.eu-central-1.amazonaws.com":                  true,
		"s3.eu-west-1.amazonaws.com b--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com": true,
		"s3.cn-north-1.amazonaws.com.cn s3.cn-northwest-1.amazonaws.com.cn":                       true,
		"s3.amazonaws.com s3-evil-1.us-east-1.elb.amazonaws.com":                                  false,
		"s3.amazonaws.com ec2-1-2-3-4.compute-1.amazonaws.com":                                    false,
		"s3.amazonaws.com s3.execute-api.us-east-1.amazonaws.com":                                 false,
		"s3.amazonaws.com s3.amazonaws.com.evil.org":                                              false,
		"10.0.0.1 10.0.0.1":                                                                       true,
		"10.0.0.1 10.0.0.2":                                                                       false,
		"::1 ::2":                                                                                 false,
		"10.0.0.1 s3.example.com":                                                                 false,
		"localhost localhost":                                                                     true,
		"minio1 minio2":                                                                           false,
		"a.local b.local":                                                                         false,
		"s3.corp.internal node1.corp.internal":                                                    true,
		"s3.corp.internal bucket.s3.corp.internal":                                                true,
		"s3.corp.internal s3.other.internal":                                                      false,
		"minio-0.minio.ns.svc.cluster.local minio-1.minio.ns.svc.cluster.local":                   true,
		"minio-0.minio.ns.svc.cluster.local evil.minio.other.svc.cluster.local":                   false,
	} {
		known, other, _ := strings.Cut(pair, " ")
		if got := Related(known, other); got != want {
			t.Errorf("%s: %v, want %v", pair, got, want)
		}
	}
}

// TestSameOrigin: a request with a secret does not follow a redirect to another port, and does to another path.
func TestSameOrigin(t *testing.T) {
	var leaked atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer elsewhere.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		case "/near":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}
	}))
	defer here.Close()
	client := &http.Client{CheckRedirect: SameOrigin}
	for path, want := range map[string]string{"/away": "redirected to another host", "/round": "more than 5 redirects", "/near": ""} {
		r, err := client.Get(here.URL + path)
		if err == nil {
			_ = r.Body.Close()
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if leaked.Load() {
		t.Error("the other host got a request")
	}
}
