package azure

import (
	"net/http"
	"net/url"
	"testing"
)

// TestSignatures has signatures that Azurite accepts.
func TestSignatures(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{"X-Ms-Date": {"Wed, 25 Nov 2026 08:00:00 GMT"}, "X-Ms-Version": {Version}}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, tc := range []struct {
		method, path, query, length string
		header                      http.Header
		want                        string
	}{
		{
			"PUT", "/vec/a/b%20c", "", "11", header("Content-Type", "application/octet-stream", "X-Ms-Blob-Type", "BlockBlob"),
			"Hu1mBaqbJBW96ddm1UzIbPBT7aLwZE+jg8TxPkuSILo=",
		},
		{"GET", "/vec/a/b%20c", "", "0", header("Range", "bytes=2-5"), "3x+mJMQwQtb61FbFog4ygsyl1gE+TAtQfxB/fQ+hDUU="},
		{"GET", "/vec", "restype=container&comp=list&prefix=a%2F&maxresults=2", "0", header(), "gryCLl0ImwiTnH9bfgosM1cH0s8liNo5wLFnclx7V94="},
		{"PUT", "/vec/empty", "", "0", header("If-None-Match", "*", "X-Ms-Blob-Type", "BlockBlob"), "drgsJlW3TnIemQlSZzoPA8my+/joOJphYVtXEalJIPk="},
		{
			"PUT", "/vec/m", "", "1", header("X-Ms-Blob-Type", "BlockBlob", "X-Ms-Meta-K_a", "v", "X-Ms-Meta-K1", "w"),
			"sJfKpfIbTUTpmDW6ARbdLHKdyLH9x+mMUm47Uh6SpZg=",
		},
	} {
		query, err := url.ParseQuery(tc.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := mac(textOf(tc.method, "/"+Account+tc.path, query, tc.header, tc.length)); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.method, tc.path, got, tc.want)
		}
	}
}

// TestTokens has signatures that Azurite accepts, and tokens that are good for something else.
func TestTokens(t *testing.T) {
	const (
		ofAccount = "sv=2023-11-03&ss=b&srt=sco&sp=rwdlac&se=2030-01-01T00:00:00Z&sig=5kY/KRfaDtgeEjaZB3WFL4Ac04JM3MoR3baczhboKns%3D"
		ofBlob    = "sv=2023-11-03&sr=b&sp=r&se=2030-01-01T00:00:00Z&sig=bO8BARAzRpfBEf45FiG6Husf4Y5%2BJbIKqZ5PJueQBg4%3D"
	)
	for _, tc := range []struct{ method, path, token, want string }{
		{"PUT", "/vec/a/b%20c", ofAccount, ""},
		{"GET", "/vec/a/b%20c", ofBlob, ""},
		{"GET", "/vec/a/b", ofBlob, notAuthentic},
		{"PUT", "/vec/a/b%20c", ofBlob, notPermitted},
		{"DELETE", "/vec/k", ContainerSAS("vec", "rcwl"), notPermitted},
		{"GET", "/vec/k", ContainerSAS("vec", "r"), ""},
		{"GET", "/other/k", ContainerSAS("vec", "r"), notAuthentic},
		{"GET", "/other/k", AccountSAS("r"), ""},
		{"GET", "/vec/k", "", noProof},
		{"GET", "/vec/k", ContainerSAS("vec", "r") + "x", notAuthentic},
	} {
		proof := New(Options{}).Check(tc.method, "/"+Account+tc.path, tc.token, http.Header{}, "0")
		q := request{method: tc.method, container: "vec", key: "k", proof: proof}
		got := proof.Code
		if got == "" {
			got = q.permitted()
		}
		if got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.method, tc.path, got, tc.want)
		}
	}
}
