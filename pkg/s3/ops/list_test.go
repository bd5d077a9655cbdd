package ops_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// listAll reads all pages of a listing.
func listAll(t *testing.T, s s3.Session, l ops.Listing) (keys []string, pages int) {
	t.Helper()
	var c s3.Call
	for pages < 100 {
		if err := ops.List(t.Context(), s, &c, &l); err != nil {
			t.Fatal(err)
		}
		pages++
		for _, e := range l.Entries {
			keys = append(keys, e.Key)
			if e.Size != int64(len(e.Key)) || (e.Version != "") != l.All || e.Marker {
				t.Errorf("entry %+v", e)
			}
		}
		if c.FirstByte.IsZero() || c.Status != 200 {
			t.Errorf("the response is not noted: %+v", c)
		}
		if l.Token = l.Next; l.Token == "" {
			return keys, pages
		}
	}
	t.Fatal("the listing has no end")
	return nil, 0
}

func TestListAndDeleteMany(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{})
		st := open(t, s3.Config{Hosts: []string{r.Host()}})
		s := st.Session(0)
		want := slices.Clone(s3test.EscapedKeys)
		slices.Sort(want)
		for _, key := range want {
			if err := ops.Put(t.Context(), s, putCall(key, key)); err != nil {
				t.Fatal(err)
			}
		}
		tests := []struct {
			ask  ops.Listing
			want []string
		}{
			{ops.Listing{}, want},
			{ops.Listing{MaxKeys: 2}, want},
			{ops.Listing{MaxKeys: 3, All: true}, want},
			{ops.Listing{Prefix: "a+"}, []string{"a+b"}},
			{ops.Listing{Prefix: "ü/日"}, []string{"ü/日本/é"}},
			{ops.Listing{Prefix: "a", Flat: true, MaxKeys: 1}, slices.DeleteFunc(slices.Clone(want), func(k string) bool {
				return !strings.HasPrefix(k, "a") || strings.Contains(k, "/")
			})},
			{ops.Listing{Prefix: "nothing"}, nil},
		}
		for _, tc := range tests {
			keys, pages := listAll(t, s, tc.ask)
			if !slices.Equal(keys, tc.want) {
				t.Errorf("%+v: %q, want %q", tc.ask, keys, tc.want)
			}
			if n := tc.ask.MaxKeys; n > 0 && pages < len(tc.want)/n {
				t.Errorf("%+v: %d pages", tc.ask, pages)
			}
		}
		before := r.Requests(op.Delete)
		d := &ops.Deletion{}
		for _, k := range want[1:] {
			d.Objects = append(d.Objects, ops.ObjectID{Key: k})
		}
		if err := ops.DeleteMany(t.Context(), s, &s3.Call{}, d); err != nil || r.Requests(op.Delete) != before+1 {
			t.Errorf("%v, %d requests", err, r.Requests(op.Delete)-before)
		}
		if keys, _ := listAll(t, s, ops.Listing{}); !slices.Equal(keys, want[:1]) {
			t.Errorf("left: %q", keys)
		}
	})
}

func TestBadListings(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		tests := []struct{ name, body, want string }{
			{"no token", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "not where"},
			{"same token", "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>T</NextContinuationToken></ListBucketResult>", "again"},
			{"page", "<html><body>hello</body></html>", "not a listing"},
			{"text", "hello", "bad answer"},
			{"cut", "<ListBucketResult><Contents><Key>a</Key>", "short body"},
			{"crossed", "<ListBucketResult><a></b></ListBucketResult>", "closes nothing"},
			{"escape", "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents></ListBucketResult>", "escape"},
		}
		for _, tc := range tests {
			host := handle(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, tc.body) })
			err := ops.List(t.Context(), open(t, s3.Config{Hosts: []string{host}}).Session(0), &s3.Call{}, &ops.Listing{Token: "T"})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
			}
		}
	})
}

func TestListVersions(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		const pageOne = `<ns:ListVersionsResult xmlns:ns="http://x"><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>
			<NextKeyMarker>a%2Bb</NextKeyMarker><NextVersionIdMarker>v1</NextVersionIdMarker>
			<Version><Key>a%2Bb</Key><VersionId>v2</VersionId><Size>5</Size></Version>
			<DeleteMarker><Key>a%2Bb</Key><VersionId>v1</VersionId></DeleteMarker></ns:ListVersionsResult>`
		var queries []string
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			queries = append(queries, r.URL.Query().Get("key-marker")+"|"+r.URL.Query().Get("version-id-marker"))
			body := pageOne
			if len(queries) > 1 {
				body = "<ListVersionsResult></ListVersionsResult>"
			}
			_, _ = io.WriteString(w, body)
		})
		s, l := open(t, s3.Config{Hosts: []string{host}}).Session(0), &ops.Listing{All: true}
		if err := ops.List(t.Context(), s, &s3.Call{}, l); err != nil {
			t.Fatal(err)
		}
		want := []ops.Entry{{Key: "a+b", Version: "v2", Size: 5}, {Key: "a+b", Version: "v1", Marker: true}}
		if !slices.Equal(l.Entries, want) {
			t.Errorf("%+v, want %+v", l.Entries, want)
		}
		l.Token = l.Next
		if err := ops.List(t.Context(), s, &s3.Call{}, l); err != nil || queries[1] != "a+b|v1" || l.Next != "" || len(l.Entries) != 0 {
			t.Errorf("%v, second page asked for %q", err, queries)
		}
	})
}

func TestDeleteManyErrors(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		tests := []struct {
			name   string
			status int
			body   string
			want   string
			failed int
		}{
			{"per key", 200, `<DeleteResult><Error><Key>a</Key><VersionId>v</VersionId><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>`, "not deleted", 1},
			{"invalid argument is a failure too", 200, `<DeleteResult><Error><Key>a</Key><Code>InvalidArgument</Code></Error></DeleteResult>`, "not deleted", 1},
			{"error behind 200", 200, `<Error><Code>InternalError</Code><Message>no</Message></Error>`, "InternalError", 0},
			{"other answer", 200, `<html></html>`, "bad answer", 0},
			{"unknown", 501, `<Error><Code>NotImplemented</Code></Error>`, "501 NotImplemented", 0},
			{"fine", 200, `<DeleteResult/>`, "", 0},
		}
		for _, tc := range tests {
			host := handle(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Content-Md5") == "" {
					t.Error("no Content-MD5")
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			d := &ops.Deletion{Objects: []ops.ObjectID{{Key: "a", Version: "v"}}}
			err := ops.DeleteMany(t.Context(), open(t, s3.Config{Hosts: []string{host}}).Session(0), &s3.Call{}, d)
			if class(err) != tc.want || len(d.Failed) != tc.failed {
				t.Errorf("%s: %v, failed %v; want %q", tc.name, err, d.Failed, tc.want)
			}
		}
	})
}

// fakeSession deletes from memory.
type fakeSession struct {
	connect.Fake
	noMany  error
	calls   []string
	failing map[string]error
}

func (f *fakeSession) Do(_ context.Context, c *s3.Call) error {
	if c.Method == http.MethodDelete {
		f.calls = append(f.calls, "one "+c.Key)
		return f.failing[c.Key]
	}
	text, err := io.ReadAll(io.NewSectionReader(c.Body, 0, c.Size))
	if err != nil {
		return err
	}
	f.calls = append(f.calls, fmt.Sprintf("many %d", strings.Count(string(text), "<Object>")))
	if f.noMany != nil {
		return f.noMany
	}
	var failed strings.Builder
	for key, err := range f.failing {
		var e *s3.Error
		if strings.Contains(string(text), "<Key>"+key+"</Key>") && errors.As(err, &e) {
			fmt.Fprintf(&failed, "<Error><Key>%s</Key><Code>%s</Code></Error>", key, e.Code)
		}
	}
	return c.Parse(strings.NewReader("<DeleteResult>" + failed.String() + "</DeleteResult>"))
}

func TestDeleteObjects(t *testing.T) {
	denied := &s3.Error{Class: "403 AccessDenied", Status: 403, Code: "AccessDenied"}
	failing := map[string]error{"b": denied, "c": &s3.Error{Status: 404, Code: "NoSuchKey"}}
	abc := []ops.ObjectID{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	tests := []struct {
		name   string
		noMany error
		calls  string
		failed int
	}{
		{"many", nil, "many 3", 1},
		{"no multi-delete", &s3.Error{Status: 501, Code: "NotImplemented"}, "many 3 one a one b one c", 1},
		{"no multi-delete either", &s3.Error{Status: 405}, "many 3 one a one b one c", 1},
		{"down", &s3.Error{Class: "connection refused"}, "many 3", 3},
		{"denied", denied, "many 3", 3},
		{"a bucket that is gone", &s3.Error{Status: 404, Code: "NoSuchBucket"}, "many 3", 0},
		{"a request that took too long", &s3.Error{Status: 400, Code: "RequestTimeout"}, "many 3", 3},
	}
	for _, tc := range tests {
		f := &fakeSession{noMany: tc.noMany, failing: failing}
		failed := ops.DeleteObjects(t.Context(), f, abc)
		if got := strings.Join(f.calls, " "); got != tc.calls || len(failed) != tc.failed {
			t.Errorf("%s: calls %q, failed %v", tc.name, got, failed)
		}
	}
	odd := &fakeSession{}
	ops.DeleteObjects(t.Context(), odd, []ops.ObjectID{{Key: "a"}, {Key: "\x01"}, {Key: "b"}})
	if got := strings.Join(odd.calls, " "); got != "one \x01 many 2" {
		t.Errorf("a key that XML cannot hold: %q", got)
	}
	down := map[string]error{"b": &s3.Error{Class: "connection refused"}}
	f := &fakeSession{noMany: &s3.Error{Status: 501}, failing: down}
	if failed := ops.DeleteObjects(t.Context(), f, abc); len(failed) != 2 || strings.Contains(strings.Join(f.calls, " "), "one c") {
		t.Errorf("went on without a server: %q, failed %v", f.calls, failed)
	}
	f = &fakeSession{}
	ops.DeleteObjects(t.Context(), f, make([]ops.ObjectID, 2500))
	if got := strings.Join(f.calls, " "); got != "many 1000 many 1000 many 500" {
		t.Errorf("batches: %s", got)
	}
}

func TestTemporary(t *testing.T) {
	for err, want := range map[*s3.Error]bool{
		{Class: "connection refused"}:                                      true,
		{Class: "canceled"}:                                                false,
		{Class: "503 SlowDown", Status: 503, Code: "SlowDown"}:             true,
		{Class: "502", Status: 502}:                                        true,
		{Class: "501", Status: 501, Code: "NotImplemented"}:                false,
		{Class: "SlowDown", Code: "SlowDown"}:                              true, // of one object, in the response to a multi-delete
		{Class: "AccessDenied", Code: "AccessDenied"}:                      false,
		{Class: "InternalError", Status: 200, Code: "InternalError"}:       true,
		{Class: "400 RequestTimeout", Status: 400, Code: "RequestTimeout"}: true,
		{Class: "short body", Status: 200}:                                 true,
		{Class: "bad answer", Status: 200}:                                 false,
		{Class: "403 AccessDenied", Status: 403, Code: "AccessDenied"}:     false,
	} {
		if got := s3.Temporary(err); got != want {
			t.Errorf("%+v: %v", err, got)
		}
	}
}
