package exchange

import (
	"net/http"
	"testing"
)

func FuzzEscape(f *testing.F) {
	f.Add("a/b c+ü%\xff")
	f.Fuzz(func(t *testing.T, key string) {
		req, err := http.NewRequest(http.MethodGet, "http://h/"+string(AppendPath(nil, key))+"?q="+string(AppendQuery(nil, key)), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if req.URL.Path != "/"+key || req.URL.Query().Get("q") != key {
			t.Errorf("%q arrives as path %q, query %q", key, req.URL.Path, req.URL.Query().Get("q"))
		}
	})
}
