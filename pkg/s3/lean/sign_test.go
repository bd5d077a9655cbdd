package lean

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	sdk "github.com/minio/minio-go/v7/pkg/signer"

	"warp/pkg/s3/exchange"
)

const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// TestPublishedSignatures checks the examples of the AWS documentation ("Signature Calculations for the Authorization
// Header: Transferring Payload in a Single Chunk").
func TestPublishedSignatures(t *testing.T) {
	secrets := exchange.Keys{Access: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	now := time.Date(2013, time.May, 24, 0, 0, 0, 0, time.UTC)
	target := &Target{Host: "examplebucket.s3.amazonaws.com"}
	tests := []struct {
		name  string
		ask   exchange.Request
		names string
		want  string
	}{
		{
			"GET Object",
			exchange.Request{Method: "GET", Key: "test.txt", Length: 10, Payload: emptyHash},
			"host;range;x-amz-content-sha256;x-amz-date", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		},
		{
			"PUT Object",
			exchange.Request{
				Method: "PUT", Key: "test$file.text", Size: 21, Payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
				Headers: []exchange.Header{{Name: "Date", Value: "Fri, 24 May 2013 00:00:00 GMT"}, {Name: "x-amz-storage-class", Value: "REDUCED_REDUNDANCY"}},
			},
			"date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
		},
		{
			"GET Bucket Lifecycle",
			exchange.Request{Method: "GET", Query: []exchange.Param{{Name: "lifecycle"}}, Payload: emptyHash},
			"host;x-amz-content-sha256;x-amz-date", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		},
		{
			"GET Bucket (List Objects)",
			exchange.Request{Method: "GET", Query: []exchange.Param{{Name: "max-keys", Value: "2"}, {Name: "prefix", Value: "J"}}, Payload: emptyHash},
			"host;x-amz-content-sha256;x-amz-date", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		},
	}
	for _, tc := range tests {
		head := string(writeHead(t, &secrets, "us-east-1", target, &tc.ask, now))
		want := "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=" +
			tc.names + ", Signature=" + tc.want + "\r\n"
		if !strings.Contains(head, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.name, head, want)
		}
	}
}

func writeHead(t *testing.T, k *exchange.Keys, region string, target *Target, q *exchange.Request, now time.Time) []byte {
	t.Helper()
	w := &requestWriter{tail: "User-Agent: warp\r\n"}
	if k != nil {
		var err error
		if w.signer, err = newSigner(keys(*k), region); err != nil {
			t.Fatal(err)
		}
	}
	b, err := w.write(nil, target, q, now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keys(k exchange.Keys) *atomic.Pointer[exchange.Keys] {
	p := &atomic.Pointer[exchange.Keys]{}
	p.Store(&k)
	return p
}

// oddText is a random text of characters that are hard to escape.
func oddText(r *rand.Rand, most int) string {
	const letters = "abcXYZ019-_.~/ +%&=?#@:,;$!*'()[]{}<>\"\\|^`üß日本é🙂"
	runes := []rune(letters)
	var b strings.Builder
	for range r.IntN(most) {
		b.WriteRune(runes[r.IntN(len(runes))])
	}
	return b.String()
}

// TestSignatureLikeSDK compares signatures with the SDK's.
func TestSignatureLikeSDK(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		k := exchange.Keys{Access: "AK" + fmt.Sprint(r.IntN(10)), Secret: "s" + oddText(r, 80)}
		region := []string{"us-east-1", "eu-west-3", "x"}[r.IntN(3)]
		if r.IntN(3) == 0 {
			k.Token = fmt.Sprintf("token/%d+==", r.IntN(1000))
			k.Session = r.IntN(2) == 0
		}
		k.Express = k.Session || r.IntN(3) == 0
		q := &exchange.Request{
			Method: []string{"GET", "PUT", "HEAD", "DELETE", "POST"}[r.IntN(5)], Key: "k" + oddText(r, 60),
			Offset: r.Int64N(1000), Length: r.Int64N(2) * 1000,
		}
		var common []exchange.Header
		for i := range r.IntN(5) {
			h := exchange.Header{Name: fmt.Sprintf("X-Amz-Meta-%c%d", 'A'+rune(r.IntN(26)), i), Value: " v  " + strings.ReplaceAll(oddText(r, 20), "\u00a0", "")}
			if q.Common = &common; r.IntN(2) == 0 {
				q.Headers = append(q.Headers, h)
				h.Value = "replaced"
			}
			if len(q.Headers) == 0 || r.IntN(2) == 0 {
				common = append(common, h)
			}
		}
		if r.IntN(2) == 0 {
			q.Query = []exchange.Param{{Name: "prefix", Value: oddText(r, 30)}, {Name: "versionId", Value: oddText(r, 30)}}
		}
		if r.IntN(3) == 0 {
			q.Payload = emptyHash
		}
		target := &Target{Host: fmt.Sprintf("h%d.example:%d", r.IntN(10), 1+r.IntN(65535)), Path: []string{"", "/bucket"}[r.IntN(2)]}
		compareWithSDK(t, writeHead(t, &k, region, target, q, time.Now()), &k, region, q)
	}
}

var authorization = regexp.MustCompile(`Authorization: ([^\r]*)\r\n`)

func compareWithSDK(t *testing.T, head []byte, keys *exchange.Keys, region string, q *exchange.Request) {
	t.Helper()
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	req.URL.Host = req.Host
	path, _, _ := strings.Cut(req.RequestURI, "?")
	if want := s3utils.EncodePath(req.URL.Path); path != want {
		t.Errorf("key %q is sent as %s, the SDK writes %s", q.Key, path, want)
	}
	got := req.Header.Get("Authorization")
	date := req.Header.Get("X-Amz-Date")
	for _, name := range []string{"Authorization", "User-Agent", "Content-Length", "X-Amz-Date", "Connection"} {
		req.Header.Del(name)
	}
	sign := sdk.SignV4
	if keys.Express {
		sign = sdk.SignV4Express
	}
	if got := req.Header.Get("X-Amz-S3session-Token"); keys.Session != (got != "") || keys.Session && got != keys.Token {
		t.Errorf("token of the session: %q, want %q", got, keys.Token)
	}
	signed := sign(*req, keys.Access, keys.Secret, keys.Token, region)
	if signed.Header.Get("X-Amz-Date") != date {
		return // a second went by
	}
	if want := signed.Header.Get("Authorization"); got != want {
		t.Errorf("%q\nsigned %s\nthe SDK %s", authorization.ReplaceAllString(string(head), ""), got, want)
	}
}

func TestKeysAreDerivedAnew(t *testing.T) {
	k := keys(exchange.Keys{Access: "a", Secret: "s"})
	one, err := newV4Signer(k, "r")
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC)
	for i, now := range []time.Time{day, day.Add(500 * time.Millisecond), day.Add(time.Second), day.Add(24 * time.Hour), day, day, day} {
		if i == 5 { // temporary keys are replaced within a second
			k.Store(&exchange.Keys{Access: "b", Secret: "other", Token: "t"})
		}
		fresh, err := newV4Signer(k, "r")
		if err != nil {
			t.Fatal(err)
		}
		var got [2][]byte
		for i, s := range []*v4Signer{one, fresh} {
			if err := s.at(now, "", nil); err != nil {
				t.Fatal(err)
			}
			s.text = append(s.text[:0], "canonical request"...)
			if got[i], err = s.appendSignature(nil); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got[0], got[1]) || string(one.stamp) != now.Format(longDate) || one.keys != k.Load() {
			t.Errorf("%v: date %s, signature %s, want %s", now, one.stamp, got[0], got[1])
		}
	}
}

func TestAnonymousForm(t *testing.T) {
	q := &exchange.Request{Method: "GET", Key: "k"}
	head := string(writeHead(t, nil, "", &Target{Host: "h", Path: "/b"}, q, time.Now()))
	if want := "GET /b/k HTTP/1.1\r\nHost: h\r\nUser-Agent: warp\r\n\r\n"; head != want {
		t.Errorf("got %q, want %q", head, want)
	}
}

func TestInvalidHeaders(t *testing.T) {
	tests := []struct {
		header exchange.Header
		want   string
	}{
		{exchange.Header{Name: "", Value: "v"}, "no name"},
		{exchange.Header{Name: "A b", Value: "v"}, "cannot be part"},
		{exchange.Header{Name: "X-A", Value: "SECRET\r\nX: y"}, "control character"},
		{exchange.Header{Name: "content-LENGTH", Value: "1"}, "sets itself"},
		{exchange.Header{Name: "X-Amz-Date", Value: "now"}, "sets itself"},
	}
	for _, tc := range tests {
		_, err := (&requestWriter{}).write(nil, &Target{}, &exchange.Request{Method: "GET", Headers: []exchange.Header{tc.header}}, time.Now())
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v, want %q", tc.header, err, tc.want)
		}
	}
}
