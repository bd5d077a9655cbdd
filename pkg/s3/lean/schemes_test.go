package lean

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder/azure"
	"warp/pkg/s3/exchange"
)

// azureKeys are the keys of Azure's emulator, which its documentation publishes.
var azureKeys = exchange.Keys{
	Scheme: exchange.SharedKey,
	Access: "devstoreaccount1",
	Secret: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
}

var (
	azureVersion = []exchange.Header{{Name: "x-ms-version", Value: "2023-11-03"}}
	azureTime    = time.Date(2026, time.November, 25, 8, 0, 0, 0, time.UTC)
)

// blob is the header of a block blob, and what else is given.
func blob(more ...exchange.Header) []exchange.Header {
	return append([]exchange.Header{{Name: "x-ms-blob-type", Value: "BlockBlob"}}, more...)
}

// sharedKeyVectors are requests whose signatures Azurite accepts.
var sharedKeyVectors = []struct {
	name      string
	request   exchange.Request
	signature string
}{
	{
		"put",
		exchange.Request{
			Method: "PUT", Key: "vec/a/b c", Size: 11,
			Headers: blob(exchange.Header{Name: "Content-Type", Value: "application/octet-stream"}),
		},
		"Hu1mBaqbJBW96ddm1UzIbPBT7aLwZE+jg8TxPkuSILo=",
	},
	{
		"range",
		exchange.Request{Method: "GET", Key: "vec/a/b c", Offset: 2, Length: 4},
		"3x+mJMQwQtb61FbFog4ygsyl1gE+TAtQfxB/fQ+hDUU=",
	},
	{
		"listing",
		exchange.Request{
			Method: "GET", Path: []byte("/devstoreaccount1/vec"),
			Query: []exchange.Param{
				{Name: "comp", Value: "list"}, {Name: "maxresults", Value: "2"}, {Name: "prefix", Value: "a/"}, {Name: "restype", Value: "container"},
			},
		},
		"gryCLl0ImwiTnH9bfgosM1cH0s8liNo5wLFnclx7V94=",
	},
	{
		"empty",
		exchange.Request{Method: "PUT", Key: "vec/empty", Headers: blob(exchange.Header{Name: "If-None-Match", Value: "*"})},
		"drgsJlW3TnIemQlSZzoPA8my+/joOJphYVtXEalJIPk=",
	},
	{
		"order of metadata",
		exchange.Request{
			Method: "PUT", Key: "vec/m", Size: 1,
			Headers: blob(exchange.Header{Name: "x-ms-meta-k1", Value: "w"}, exchange.Header{Name: "x-ms-meta-k_a", Value: "v"}),
		},
		"sJfKpfIbTUTpmDW6ARbdLHKdyLH9x+mMUm47Uh6SpZg=",
	},
}

func TestSharedKey(t *testing.T) {
	for _, tc := range sharedKeyVectors {
		tc.request.Common = &azureVersion
		head := writeHead(t, &azureKeys, "", &Target{Host: "127.0.0.1:10000", Path: "/devstoreaccount1"}, &tc.request, azureTime)
		if want := "\r\nAuthorization: SharedKey devstoreaccount1:" + tc.signature + "\r\n"; !bytes.Contains(head, []byte(want)) {
			t.Errorf("%s: got\n%s\nwant%s", tc.name, head, want)
		}
		if got := signedByStd(t, head); got != "SharedKey devstoreaccount1:"+tc.signature {
			t.Errorf("%s: std signs %s, want %s", tc.name, got, tc.signature)
		}
	}
}

// signedByStd is what the other engine signs a request with.
func signedByStd(t *testing.T, head []byte) string {
	t.Helper()
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	for _, name := range []string{"Accept-Encoding", "Transfer-Encoding"} {
		if req.Header.Get(name) != "" {
			t.Errorf("%s is sent, which proxies of stores change", name)
		}
	}
	req.Header.Del("Authorization")
	now, err := http.ParseTime(req.Header.Get("X-Ms-Date"))
	if err == nil {
		err = exchange.SignSharedKey(req, &azureKeys, now)
	}
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	return req.Header.Get("Authorization")
}

// TestGOOG4 has a signature that other code computed, which gives the examples of AWS too.
func TestGOOG4(t *testing.T) {
	k := exchange.Keys{Scheme: exchange.GOOG4, Access: "GOOG1E", Secret: "secretsecretsecretsecretsecretsecretsecr"}
	q := exchange.Request{Method: "PUT", Key: "a/b c", Headers: []exchange.Header{
		{Name: "Content-Type", Value: "application/octet-stream"}, {Name: "x-goog-if-generation-match", Value: "0"},
	}}
	head := writeHead(t, &k, "auto", &Target{Host: "storage.googleapis.com", Path: "/warp-bucket"}, &q, azureTime)
	want := "GOOG4-HMAC-SHA256 Credential=GOOG1E/20261125/auto/storage/goog4_request, " +
		"SignedHeaders=content-type;host;x-goog-content-sha256;x-goog-date;x-goog-if-generation-match, " +
		"Signature=0c84966c9d505594138b5bcaae03886e92a18842bcca06a8c364678698d225f4"
	if !bytes.Contains(head, []byte("\r\nAuthorization: "+want+"\r\n")) {
		t.Errorf("got\n%s\nwant %s", head, want)
	}
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "User-Agent", "Content-Length"} {
		req.Header.Del(name)
	}
	exchange.SignV4(req, &k, "auto", azureTime)
	if got := req.Header.Get("Authorization"); got != want {
		t.Errorf("std signs\n%s, want\n%s", got, want)
	}
}

func TestBearer(t *testing.T) {
	k := keys(exchange.Keys{Scheme: exchange.Bearer, Token: "one"})
	w := &requestWriter{}
	var err error
	if w.signer, err = newSigner(k, ""); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"one", "two"} { // the second is renewed
		k.Store(&exchange.Keys{Scheme: exchange.Bearer, Token: token})
		head, err := w.write(nil, &Target{Host: "h", Path: "/b"}, &exchange.Request{Method: "GET", Key: "k"}, azureTime)
		if want := "GET /b/k HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\nHost: h\r\n\r\n"; err != nil || string(head) != want {
			t.Errorf("got %q, %v, want %q", head, err, want)
		}
	}
	k.Store(&exchange.Keys{Scheme: exchange.Bearer, Token: "one\r\nX: y"})
	if head, err := w.write(nil, &Target{}, &exchange.Request{Method: "GET"}, azureTime); err == nil {
		t.Errorf("a token with a line end is sent: %q", head)
	}
}

func TestSuffixAndPath(t *testing.T) {
	for _, tc := range []struct {
		request exchange.Request
		want    string
	}{
		{exchange.Request{Key: "k", Suffix: "sv=1&sig=a%2Fb"}, "/b/k?sv=1&sig=a%2Fb"},
		{exchange.Request{Path: []byte("/c"), Suffix: "sig=a", Query: []exchange.Param{{Name: "comp", Value: "list"}}}, "/c?comp=list&sig=a"},
		{exchange.Request{Path: []byte("/o/a%2Fb"), Bucket: "/ignored", Key: "ignored"}, "/o/a%2Fb"},
	} {
		tc.request.Method = "GET"
		head := string(writeHead(t, nil, "", &Target{Host: "h", Path: "/b"}, &tc.request, azureTime))
		if want := "GET " + tc.want + " HTTP/1.1\r\n"; !strings.HasPrefix(head, want) {
			t.Errorf("got %q, want %q", head, want)
		}
	}
}

// FuzzSharedKey holds the engines against each other, and against the store that checks signatures in other tests.
func FuzzSharedKey(f *testing.F) {
	f.Add("a/b c", "k_a", "k1", " v  w ", "prefix", "a/", int64(3), int64(0))
	f.Add("ü", "i0", "i_", "", "comp", "", int64(0), int64(10))
	f.Fuzz(func(t *testing.T, key, first, second, value, param, text string, size, length int64) {
		q := &exchange.Request{
			Method: "PUT", Key: key, Size: max(0, size), Offset: 1, Length: max(0, length%1000), Common: &azureVersion,
			Headers: []exchange.Header{{Name: "x-ms-meta-" + first, Value: value}, {Name: "X-Ms-Meta-" + second, Value: text}},
			Query:   []exchange.Param{{Name: strings.ToLower(param), Value: text}},
		}
		for _, h := range q.Headers {
			if strings.Trim(first+second, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || h.Check() != nil {
				t.Skip("no names or values of metadata")
			}
		}
		w := &requestWriter{}
		var err error
		if w.signer, err = newSigner(keys(azureKeys), ""); err != nil {
			t.Fatal(err)
		}
		now := clock.Wall()
		target := &Target{Host: "127.0.0.1:10000", Path: "/devstoreaccount1/c"}
		if err := w.signer.at(now, "", nil); err != nil {
			t.Fatal(err)
		}
		head, err := w.write(nil, target, q, now)
		if err != nil {
			t.Skip(err)
		}
		_, after, _ := bytes.Cut(head, []byte("\r\nAuthorization: "))
		got, _, _ := bytes.Cut(after, []byte("\r\n"))
		if want := signedByStd(t, head); string(got) != want {
			t.Errorf("lean signs %s, std %s:\n%s", got, want, head)
		}
		if code := checked(t, head); code != "" {
			t.Errorf("the store says %s:\n%s", code, head)
		}
	})
}

// checked is the code of a store's refusal of a request; empty: its signature is right.
func checked(t *testing.T, head []byte) string {
	t.Helper()
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	path, query, _ := strings.Cut(req.RequestURI, "?")
	return azure.New(azure.Options{}).Check(req.Method, path, query, req.Header, strconv.FormatInt(max(0, req.ContentLength), 10)).Code
}

func TestAccountKey(t *testing.T) {
	for _, secret := range []string{"", "not base64!", "abc"} {
		w := &requestWriter{}
		var err error
		if w.signer, err = newSigner(keys(exchange.Keys{Scheme: exchange.SharedKey, Access: "a", Secret: secret}), ""); err != nil {
			t.Fatal(err)
		}
		_, err = w.write(nil, &Target{}, &exchange.Request{Method: "GET"}, azureTime)
		if err == nil || secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v, want an error that does not repeat it", secret, err)
		}
	}
	long := exchange.Keys{Scheme: exchange.SharedKey, Access: "a", Secret: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 100))}
	head := writeHead(t, &long, "", &Target{Host: "h"}, &exchange.Request{Method: "GET", Key: "k"}, azureTime)
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		t.Fatal(err)
	}
	got := req.Header.Get("Authorization")
	if err := exchange.SignSharedKey(req, &long, azureTime); err != nil || req.Header.Get("Authorization") != got {
		t.Errorf("a key longer than a block: lean signs %s, std %s (%v)", got, req.Header.Get("Authorization"), err)
	}
}
