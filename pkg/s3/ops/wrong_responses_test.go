package ops_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// answer is what a server responds to any request.
type answer struct {
	status  int
	headers string // "Name: value", separated by line ends
	body    string
}

func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for line := range strings.SplitSeq(a.headers, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// operation sends a request about an object of 5 bytes.
type operation func(ctx context.Context, s s3.Session, c *s3.Call) error

// of changes the Call of an operation.
func of(change func(c *s3.Call), send operation) operation {
	return func(ctx context.Context, s s3.Session, c *s3.Call) error {
		change(c)
		return send(ctx, s, c)
	}
}

func upload(send operation) operation {
	return of(func(c *s3.Call) { c.Body = strings.NewReader("hello") }, send)
}

func ofVersion(send operation) operation {
	return of(func(c *s3.Call) { c.Version = "v1" }, send)
}

func deletion(ids ...ops.ObjectID) operation {
	return func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.DeleteMany(ctx, s, c, &ops.Deletion{Objects: ids})
	}
}

var (
	ranged = of(func(c *s3.Call) { c.Offset, c.Length = 1, 3 }, ops.Get)
	copied = of(func(c *s3.Call) {}, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.Copy(ctx, s, c, ops.CopySource("b", ops.ObjectID{Key: "k", Version: "v+1"}))
	})
	putTag = operation(func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.PutTag(ctx, s, c, &ops.Document{}, "a", 7)
	})
	part   = of(func(c *s3.Call) { c.Size = 3 }, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.GetPart(ctx, s, c, 2) })
	create = operation(func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.CreateBucket(ctx, s, c, "", false)
	})
	two   = deletion(ops.ObjectID{Key: "a"}, ops.ObjectID{Key: "b c"})
	ofTwo = deletion(ops.ObjectID{Key: "a", Version: "1"}, ops.ObjectID{Key: "a", Version: "2"})
	fan   = upload(func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.FanOut(ctx, s, c, []string{"a", "b"})
	})
)

func deletedOf(elements string) string { return "<DeleteResult>" + elements + "</DeleteResult>" }

// answers are responses to operations: those that some real server gives, which are right (no want), and those that say that the server did
// something else than it was asked for. want is the error.
var answers = []struct {
	name string
	send operation
	answer
	want string
}{
	{"get", ops.Get, answer{200, "", "hello"}, ""},
	{"get: 206", ops.Get, answer{206, "", "hello"}, "bad answer: status 206 Partial Content to a GET that has status 200 if it succeeds"},
	{"get: 204", ops.Get, answer{204, "", ""}, "bad answer: status 204 No Content to a GET that has status 200 if it succeeds"},
	{"get: shorter", ops.Get, answer{200, "", "hell"}, "wrong length: expected 5 bytes, got 4"},
	{"range", ranged, answer{206, "Content-Range: bytes 1-3/5", "ell"}, ""},
	{"range, size not known", ranged, answer{206, "Content-Range: bytes 1-3/*", "ell"}, ""},
	{"range, not stated", ranged, answer{206, "", "ell"}, ""},
	{"range, 200", ranged, answer{200, "Content-Range: bytes 1-3/5", "ell"}, ""},
	{"range: ignored", ranged, answer{200, "", "hello"}, "range ignored: a range was asked for, the response has status 200 and no Content-Range"},
	{"range: another", ranged, answer{206, "Content-Range: bytes 0-2/5", "hel"}, "wrong range: asked for bytes 1-3, got bytes 0-2/5"},
	{"range: of an absurd size", ranged, answer{206, "Content-Range: bytes 1-3/999999999", "ell"}, "wrong length: asked for a range of an object of 5 bytes, got bytes 1-3/999999999"},
	{"part", part, answer{206, "Content-Range: bytes 2-4/5", "llo"}, ""},
	{"part, 200", part, answer{200, "", "llo"}, ""},

	{"version", ofVersion(ops.Get), answer{200, "X-Amz-Version-Id: v1", "hello"}, ""},
	{"version, not stated", ofVersion(ops.Get), answer{200, "", "hello"}, ""},
	{"version: another", ofVersion(ops.Get), answer{200, "X-Amz-Version-Id: v2", "hello"}, "bad answer: asked for version v1, got v2"},
	{"version: none", ofVersion(ops.Get), answer{200, "X-Amz-Version-Id: null", "hello"}, "bad answer: asked for version v1, got null"},
	{"current version", ops.Get, answer{200, "X-Amz-Version-Id: v2", "hello"}, ""},
	{"version, stat: another", ofVersion(ops.Stat), answer{200, "X-Amz-Version-Id: v2\nContent-Length: 5", ""}, "bad answer: asked for version v1, got v2"},
	{"version, delete", ofVersion(ops.Delete), answer{204, "X-Amz-Version-Id: v1\nX-Amz-Delete-Marker: true", ""}, ""},
	{"version, delete: another", ofVersion(ops.Delete), answer{204, "X-Amz-Version-Id: v2", ""}, "bad answer: asked for version v1, got v2"},
	{"delete, with a marker", ops.Delete, answer{204, "X-Amz-Version-Id: v2\nX-Amz-Delete-Marker: true", ""}, ""},
	{"version, tags: of another", ofVersion(getTags), answer{200, "X-Amz-Version-Id: v2", "<Tagging/>"}, "bad answer: asked for version v1, got v2"},
	{"version, attributes: of another", ofVersion(ops.GetAttributes), answer{200, "X-Amz-Version-Id: v2", "<GetObjectAttributesResponse><ObjectSize>5</ObjectSize></GetObjectAttributesResponse>"}, "bad answer: asked for version v1, got v2"},
	{"version, retention: of another", ofVersion(getRetention), answer{200, "X-Amz-Version-Id: v2", "<Retention/>"}, "bad answer: asked for version v1, got v2"},
	{"copy of a version", copied, answer{200, "X-Amz-Copy-Source-Version-Id: v+1\nX-Amz-Version-Id: v9", "<CopyObjectResult/>"}, ""},
	{"copy of a version: another", copied, answer{200, "X-Amz-Copy-Source-Version-Id: v2", "<CopyObjectResult/>"}, "bad answer: asked to copy version v+1, the server copied v2"},

	{"stat", ops.Stat, answer{200, "Content-Length: 5", ""}, ""},
	{"stat: another length", ops.Stat, answer{200, "Content-Length: 7", ""}, "wrong length: expected an object of 5 bytes, got the head of one of 7"},
	{"stat: 206", ops.Stat, answer{206, "Content-Length: 5", ""}, "bad answer: status 206 Partial Content to a HEAD that has status 200 if it succeeds"},

	{"put", upload(ops.Put), answer{200, "", ""}, ""},
	{"put: 204", upload(ops.Put), answer{204, "", ""}, "bad answer: status 204 No Content to a PUT that has status 200 if it succeeds"},
	{"put: 202", upload(ops.Put), answer{202, "", ""}, "bad answer: status 202 Accepted to a PUT that has status 200 if it succeeds"},
	{"post, 204", upload(ops.Post), answer{204, "", ""}, ""},
	{"post, 201", upload(ops.Post), answer{201, "", "<PostResponse/>"}, ""},
	{"post: 206", upload(ops.Post), answer{206, "", ""}, "bad answer: status 206 Partial Content to a POST that has status 200 if it succeeds"},
	{"delete", ops.Delete, answer{204, "", ""}, ""},
	{"delete, 200", ops.Delete, answer{200, "", ""}, ""},
	{"delete: 202", ops.Delete, answer{202, "", ""}, "bad answer: status 202 Accepted to a DELETE that has status 200 if it succeeds"},
	{"tag, 204", putTag, answer{204, "", ""}, ""},
	{"tag: 202", putTag, answer{202, "", ""}, "bad answer: status 202 Accepted to a PUT that has status 200 if it succeeds"},
	{"tags removed, 200", ops.DeleteTags, answer{200, "", ""}, ""},
	{"tags: 204", getTags, answer{204, "", ""}, "bad answer: status 204 No Content to a GET that has status 200 if it succeeds"},
	{"head of the bucket, 204", ops.HeadBucket, answer{204, "", ""}, ""},
	{"head of the bucket: 206", ops.HeadBucket, answer{206, "", ""}, "bad answer: status 206 Partial Content to a HEAD that has status 200 if it succeeds"},
	{"create a bucket: 202", create, answer{202, "", ""}, "bad answer: status 202 Accepted to a PUT that has status 200 if it succeeds"},

	{"lock, in parts of a second", getRetention, answer{200, "", "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-02T03:04:05.000Z</RetainUntilDate></Retention>"}, ""},
	{"lock, without a zone", getRetention, answer{200, "", "<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2030-01-02T03:04:05.123456</RetainUntilDate></Retention>"}, ""},
	{"lock, in a namespace", getRetention, answer{200, "", "<x:Retention xmlns:x='y'><x:Mode>GOVERNANCE</x:Mode><x:RetainUntilDate>2030-01-02T03:04:05Z</x:RetainUntilDate></x:Retention>"}, ""},
	{"lock: no mode", getRetention, answer{200, "", "<Retention><RetainUntilDate>2030-01-02T03:04:05Z</RetainUntilDate></Retention>"}, `bad answer: the response states a lock of mode ""`},
	{"lock: no end", getRetention, answer{200, "", "<Retention><Mode>GOVERNANCE</Mode></Retention>"}, `bad answer: the response states a lock until ""`},
	{"hold", getLegalHold, answer{200, "", "<LegalHold><Status>OFF</Status></LegalHold>"}, ""},
	{"hold: neither", getLegalHold, answer{200, "", "<LegalHold><Status>MAYBE</Status></LegalHold>"}, `bad answer: the response states a legal hold that is "MAYBE"`},

	{"deletion", two, answer{200, "", deletedOf("")}, ""},
	{"deletion, listed", two, answer{200, "", deletedOf("<Deleted><Key>b c</Key></Deleted><Deleted><DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>7</DeleteMarkerVersionId><Key>a</Key></Deleted>")}, ""},
	{"deletion, escaped", two, answer{200, "", deletedOf("<Deleted><Key>b%20c</Key></Deleted><Deleted><Key>a</Key></Deleted>")}, ""},
	{"deletion, with versions", two, answer{200, "", deletedOf("<Deleted><Key>a</Key><VersionId>null</VersionId></Deleted><Deleted><Key>b c</Key></Deleted>")}, ""},
	{"deletion: of another", two, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted><Deleted><Key>c</Key></Deleted>")}, `bad answer: "c" was deleted, which was not to be, or not so often`},
	{"deletion: twice", two, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted><Deleted><Key>a</Key></Deleted>")}, `bad answer: "a" was deleted, which was not to be, or not so often`},
	{"deletion: of some", two, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted>")}, "bad answer: of 2 objects that were to be deleted, the response says nothing about 1"},
	{"deletion: done and not", two, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted><Error><Key>a</Key><Code>Busy</Code></Error>")}, `bad answer: "a" was deleted, which was not to be, or not so often`},
	{"deletion: done in part", two, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted><Error><Key>b c</Key><Code>Busy</Code></Error>")}, "not deleted: 1 of 2 objects; first: b c: Busy"},
	{"deletion of versions", ofTwo, answer{200, "", deletedOf("<Deleted><Key>a</Key><VersionId>2</VersionId></Deleted><Deleted><Key>a</Key><VersionId>1</VersionId></Deleted>")}, ""},
	{"deletion of versions, not stated", ofTwo, answer{200, "", deletedOf("<Deleted><Key>a</Key></Deleted><Deleted><Key>a</Key></Deleted>")}, ""},
	{"deletion of versions: of another", ofTwo, answer{200, "", deletedOf("<Deleted><Key>a</Key><VersionId>2</VersionId></Deleted><Deleted><Key>a</Key><VersionId>3</VersionId></Deleted>")}, `bad answer: version 3 of "a" was deleted, which was not to be, or not so often`},
	{"deletion: 204", two, answer{204, "", ""}, "bad answer: status 204 No Content to a POST that has status 200 if it succeeds"},

	{"fan-out", fan, answer{200, "", `{"key":"b"}{"key":"a"}`}, ""},
	{"fan-out: another", fan, answer{200, "", `{"key":"a"}{"key":"c"}`}, `bad answer: "c" was made, which was not to be, or not so often`},
	{"fan-out: some", fan, answer{200, "", `{"key":"a"}`}, "bad answer: 1 objects were made, not 2"},
}

// TestWrongAnswers: a success whose response says that something else was done is a failure, with both engines, and what real servers respond
// is none.
func TestWrongAnswers(t *testing.T) {
	for _, tc := range answers {
		host := handle(t, tc.ServeHTTP)
		eachEngine(t, func(t *testing.T, open opener) {
			s := open(t, s3.Config{Hosts: []string{host}}).Session(0)
			for range 2 { // a wrong answer leaves the session as it was
				err := tc.send(t.Context(), s, &s3.Call{Key: "k", Size: 5})
				got := ""
				if err != nil {
					got = err.Error()
				}
				if got != tc.want {
					t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
				}
			}
		})
	}
}

// TestDocuments: what documents state is read whatever their form.
func TestDocuments(t *testing.T) {
	var text string
	host := handle(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	s, d, call := open(t, s3.Config{Hosts: []string{host}}).Session(0), &ops.Document{}, func() *s3.Call { return &s3.Call{Key: "k", Size: -1} }
	for _, tc := range []struct {
		text, key, value string
		n                int
	}{
		{"<Tagging/>", "", "", 0},
		{"<Tagging><TagSet></TagSet></Tagging>", "", "", 0},
		{"<?xml version='1.0'?>\n<Tagging xmlns='u'><TagSet>\n<Tag>\n<Key>turn</Key> <Value>7</Value></Tag></TagSet></Tagging>", "turn", "7", 1},
		{"<x:Tagging xmlns:x='u'><x:TagSet><x:Tag><x:Value>7</x:Value><x:Key>turn</x:Key></x:Tag></x:TagSet></x:Tagging>", "turn", "7", 1},
		{"<Tagging><TagSet><Tag><Key>a</Key><Value/></Tag><Tag><Key>b</Key><Value>2</Value></Tag></TagSet></Tagging>", "a", "2", 2},
		{"<Tagging>" + strings.Repeat(" ", 5000) + "</Tagging>", "", "", -1},
	} {
		text = tc.text
		if err := ops.GetTags(t.Context(), s, call(), d); err != nil {
			t.Fatal(err)
		}
		if key, value, n := d.Tags(); string(key) != tc.key || string(value) != tc.value || n != tc.n {
			t.Errorf("%.60s: %q=%q, %d; want %q=%q, %d", tc.text, key, value, n, tc.key, tc.value, tc.n)
		}
	}
	text = "<Retention xmlns='u'><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-02T04:04:05+01:00</RetainUntilDate></Retention>"
	want := ops.Lock{Mode: ops.ModeGovernance, Until: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	if l, err := ops.GetRetention(t.Context(), s, call(), d); err != nil || l.Mode != want.Mode || !l.Until.Equal(want.Until) || l.String() != "GOVERNANCE until 2030-01-02T03:04:05Z" {
		t.Errorf("%v, %v", l, err)
	}
	for status, want := range map[string]bool{"ON": true, "OFF": false} {
		text = fmt.Sprintf("<LegalHold><Status>\n%s </Status></LegalHold>", status)
		if on, err := ops.GetLegalHold(t.Context(), s, call(), d); err != nil || on != want {
			t.Errorf("%s: %v, %v", status, on, err)
		}
	}
}

// FuzzDeleted: whatever a response to a multi-delete says, each object that failed is one that was to be deleted, once.
func FuzzDeleted(f *testing.F) {
	for _, a := range answers {
		f.Add(a.body)
	}
	var body string
	server := handle(f, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, body)
	})
	s := open(f, s3.Config{Hosts: []string{server}}).Session(0)
	f.Fuzz(func(t *testing.T, text string) {
		body = text
		d := &ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}, {Key: "b c"}, {Key: "a", Version: "1"}, {Key: "a", Version: "2"}}}
		err := ops.DeleteMany(t.Context(), s, &s3.Call{}, d)
		if len(d.Failed) != len(d.Places) || err == nil && len(d.Failed) > 0 {
			t.Fatalf("%v, %v, %v", d.Failed, d.Places, err)
		}
		seen := map[int]bool{}
		for i, place := range d.Places {
			key, keyErr := url.QueryUnescape(d.Failed[i].Key)
			if seen[place] || d.Objects[place].Key != d.Failed[i].Key && (keyErr != nil || d.Objects[place].Key != key) {
				t.Errorf("%v at %d", d.Failed[i], place)
			}
			seen[place] = true
		}
	})
}
