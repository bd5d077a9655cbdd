package s3_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// checkSignature verifies a signature of version 4 in the header of a request, by the rules that AWS documents.
func checkSignature(r *http.Request, secret, region string) error {
	var credential, names, signature string
	for _, field := range strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "), ", ") {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "Credential":
			_, credential, _ = strings.Cut(value, "/")
		case "SignedHeaders":
			names = value
		case "Signature":
			signature = value
		}
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	canonical := r.Method + "\n" + path + "\n" + query + "\n"
	for _, name := range strings.Split(names, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical += name + ":" + value + "\n"
	}
	canonical += "\n" + names + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	sum, date := sha256.Sum256([]byte(canonical)), r.Header.Get("X-Amz-Date")
	key := []byte("AWS4" + secret)
	for _, part := range []string{date[:min(8, len(date))], region, "s3", "aws4_request"} {
		key = mac(key, part)
	}
	text := "AWS4-HMAC-SHA256\n" + date + "\n" + credential + "\n" + hex.EncodeToString(sum[:])
	if want := hex.EncodeToString(mac(key, text)); signature != want || !strings.HasSuffix(credential, "/"+region+"/s3/aws4_request") {
		return fmt.Errorf("signature %q in %q, want %q in %s", signature, credential, want, region)
	}
	return nil
}

// checked is a responder that refuses requests whose signatures are wrong.
func checked(t *testing.T, o responder.Options, region string) (r *responder.Server, host string) {
	r = serve(t, o)
	return r, handle(t, func(w http.ResponseWriter, q *http.Request) {
		if err := checkSignature(q, "SKEY", region); err != nil {
			t.Errorf("%s %s: %v", q.Method, q.RequestURI, err)
		}
		r.ServeHTTP(w, q)
	})
}

// TestRedirects: requests of all kinds are sent again where the store redirects them, bodies too, with a signature for that host.
func TestRedirects(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		for _, tc := range []struct {
			name    string
			uploads s3.Uploads
		}{{name: "unsigned"}, {name: "signed in chunks", uploads: s3.Uploads{Payload: s3.PayloadStreaming}}} {
			t.Run(tc.name, func(t *testing.T) {
				there, host := checked(t, responder.Options{Keep: true}, "us-east-1")
				from, first := checked(t, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
					return responder.Fault{Status: 307 + int(n%2), Redirect: "http://" + host}
				}}, "us-east-1")
				s := open(t, s3.Config{Hosts: []string{first}, RedirectTo: []string{host}, Uploads: tc.uploads}).Session(0)
				content := strings.Repeat("0123456789", 30_000)
				connected := 0
				do := func(c *s3.Call, err error) {
					t.Helper()
					if err != nil || c.Redirects != 1 || c.Redirected <= 0 || c.Retries > 0 || c.Host != "http://"+first {
						t.Errorf("%v, %+v", err, c.Response)
					}
					connected += c.Connected
				}
				for i := range 4 {
					c := putCall("a b/ü+~%", content)
					do(c, ops.Put(t.Context(), s, c))
					var got bytes.Buffer
					c = &s3.Call{Key: "a b/ü+~%", Size: -1, Into: &got}
					if do(c, ops.Get(t.Context(), s, c)); tc.uploads.Payload == "" && got.String() != content {
						t.Errorf("round %d: %d bytes came back", i, got.Len())
					}
					c = &s3.Call{Key: "a b/ü+~%", Size: -1, Offset: 10, Length: 5}
					do(c, ops.Get(t.Context(), s, c))
					c = &s3.Call{Key: "a b/ü+~%", Size: int64(len(content))}
					do(c, ops.Stat(t.Context(), s, c))
					c = &s3.Call{}
					do(c, ops.List(t.Context(), s, c, &ops.Listing{Prefix: "a b/", Delimiter: "/"}))
					c = &s3.Call{Key: "a b/ü+~%"}
					id, err := ops.CreateUpload(t.Context(), s, c)
					do(c, err)
					do(c, ops.AbortUpload(t.Context(), s, c, id))
					c = &s3.Call{Key: "a b/ü+~%"}
					do(c, ops.Delete(t.Context(), s, c))
				}
				most := 2
				if strings.Contains(t.Name(), "/std") {
					most = 2*4*8 - 1 // net/http returns a connection after the caller has seen the end of the body, so a busy machine may make another
				}
				if connected < 2 || connected > most {
					t.Errorf("%d connections for two hosts, want at most %d", connected, most)
				}
				for _, kind := range []op.Kind{op.Get, op.Put, op.Delete, op.Stat, op.List} {
					if n := from.Requests(kind); n == 0 || n != there.Requests(kind) {
						t.Errorf("%s: %d requests were redirected, %d came", kind, n, there.Requests(kind))
					}
				}
			})
		}
	})
}

// TestRedirectTimes: the delays of both hosts are part of the time of the request, and that of the first is the redirect's.
func TestRedirectTimes(t *testing.T) {
	const here, there = 60 * time.Millisecond, 90 * time.Millisecond
	eachEngine(t, func(t *testing.T, open opener) {
		to := serve(t, responder.Options{Forget: true, Record: true, Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: there} }})
		from := serve(t, responder.Options{Forget: true, Record: true, Rule: func(op.Kind, uint64) responder.Fault {
			return responder.Fault{Delay: here, Status: 307, Redirect: to.URL()}
		}})
		c := &s3.Call{Key: "k"}
		begun := time.Now()
		if err := ops.Stat(t.Context(), open(t, s3.Config{Hosts: []string{from.Host()}, RedirectTo: []string{to.Host()}}).Session(0), c); err != nil {
			t.Fatal(err)
		}
		ended := time.Now()
		a, b := from.Injected()[0], to.Injected()[0]
		order := []time.Time{begun, c.Start, a.Came, a.First, c.Start.Add(c.Redirected), b.Came, b.First, c.FirstByte, ended}
		if !slices.IsSortedFunc(order, time.Time.Compare) || a.First.Sub(a.Came) < here || b.First.Sub(b.Came) < there {
			t.Errorf("not in this order: %v", order)
		}
	})
}

// TestRedirectsNotFollowed: what cannot be followed is an error that says so, and the session is good for further requests.
func TestRedirectsNotFollowed(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var mu sync.Mutex
		var location, seen string
		requests := 0
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			mu.Lock()
			defer mu.Unlock()
			requests++
			seen = r.Header.Get("Authorization")
			if location != "" {
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusTemporaryRedirect)
				_, _ = io.WriteString(w, "<Error><Code>TemporaryRedirect</Code></Error>")
			}
		})
		s := open(t, s3.Config{Hosts: []string{host}}).Session(0)
		for _, tc := range []struct {
			location, want string
			requests       int
		}{
			{"/bucket/k?a=b", "redirect not followed: more than 5 redirects: /bucket/k", 6},
			{"http://" + host + "/bucket/other", "redirect not followed: more than 5 redirects: http://" + host + "/bucket/other", 6},
			{"gopher://h/", "redirect not followed: invalid location (want an http or https URL): gopher://h/", 1},
			{"http://[", "redirect not followed: invalid location: http://[", 1},
			{"/k?%zz", "redirect not followed: invalid location: /k", 1},
		} {
			mu.Lock()
			location, requests = tc.location, 0
			mu.Unlock()
			err := ops.Put(t.Context(), s, putCall("k", "text"))
			if err == nil || err.Error() != tc.want || s3.AsError(err).Status != 307 || requests != tc.requests || seen == "" {
				t.Errorf("%s: %v after %d requests, want %s", tc.location, err, requests, tc.want)
			}
		}
		c := putCall("k", "text")
		c.Expected = []int{307}
		if err := ops.Put(t.Context(), s, c); s3.Outcome(err, c.Expected) != 307 || c.Redirects > 0 {
			t.Errorf("an expected redirect: %v", err)
		}
		location = ""
		if err := ops.Put(t.Context(), s, putCall("k", "text")); err != nil {
			t.Error(err)
		}
	})
}

// TestRedirectFromTLS: a request does not leave TLS, with whatever it carries.
func TestRedirectFromTLS(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		plain := handle(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came over plain HTTP") })
		secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+plain+r.RequestURI, http.StatusTemporaryRedirect)
		}))
		defer secure.Close()
		s := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(secure.URL, "https://")}, TLS: true, Insecure: true}).Session(0)
		err := ops.Stat(t.Context(), s, &s3.Call{Key: "k"})
		if want := "redirect not followed: from TLS to plain HTTP: http://" + plain + "/bucket/k"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// TestRedirectSigned: a location that is signed already is not signed again; a signature of ours, in the URL, is made anew. Requests
// elsewhere are signed for the region that the redirect names.
func TestRedirectSigned(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		to, latest := receive(t)
		from := handle(t, func(w http.ResponseWriter, r *http.Request) {
			location := "http://" + to + "/other/k?X-Amz-Signature=theirs"
			if r.URL.Query().Has("X-Amz-Signature") {
				location = "http://" + to + r.RequestURI
			} else if strings.HasSuffix(r.URL.Path, "/region") {
				w.Header().Set("X-Amz-Bucket-Region", "eu-1")
				location = "http://" + to + r.RequestURI
			}
			http.Redirect(w, r, location, http.StatusTemporaryRedirect)
		})
		s := open(t, s3.Config{Hosts: []string{from}, RedirectTo: []string{to}}).Session(0)
		if err := ops.Put(t.Context(), s, putCall("k", "text")); err != nil {
			t.Fatal(err)
		}
		if r := latest(); r.Header.Get("Authorization") != "" || r.RequestURI != "/other/k?X-Amz-Signature=theirs" || string(r.body) != "text" {
			t.Errorf("a signed location: %s %v", r.RequestURI, r.Header)
		}
		c := putCall("k", "text")
		c.Auth = s3.AuthQuery
		if err := ops.Put(t.Context(), s, c); err != nil {
			t.Fatal(err)
		}
		if r := latest(); checkSignature(r.Request, "SKEY", "us-east-1") != nil || r.RequestURI != "/bucket/k" {
			t.Errorf("our signature: %s %v, %v", r.RequestURI, r.Header, checkSignature(r.Request, "SKEY", "us-east-1"))
		}
		if err := ops.Put(t.Context(), s, putCall("region", "text")); err != nil {
			t.Fatal(err)
		}
		if err := checkSignature(latest().Request, "SKEY", "eu-1"); err != nil {
			t.Error(err)
		}
	})
}
