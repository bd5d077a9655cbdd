package azure_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	responder "warp/internal/responder/azure"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

const (
	account = responder.Account
	key     = responder.Key
)

type (
	answer = s3test.Answer
	fake   = s3test.Canned
)

// noted are the headers that requests are noted with.
var noted = []string{
	"If-Match", "If-None-Match", "Range", "X-Ms-Blob-Condition-Appendpos", "X-Ms-Blob-Type", "X-Ms-Blob-Content-Type", "X-Ms-Copy-Source",
	"X-Ms-Delete-Snapshots", "X-Ms-Meta-A", "X-Ms-Requires-Sync", "X-Ms-Source-Range", "X-Ms-Tags", "X-Ms-Access-Tier",
}

// notedOf are those that a request has.
func notedOf(h http.Header) []string {
	return slices.DeleteFunc(slices.Clone(noted), func(name string) bool { return h[name] == nil })
}

// checkSignature checks what proves a request.
func checkSignature(t *testing.T, unsigned bool, r *http.Request, length int) {
	if r.Header.Get("X-Ms-Version") != "2023-11-03" || r.Header.Get("Accept-Encoding") != "" {
		t.Errorf("headers of a request: %v", r.Header)
	}
	got := r.Header.Get("Authorization")
	if unsigned {
		if got != "" {
			t.Errorf("signed: %s", got)
		}
		return
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	proof := responder.New(responder.Options{}).Check(r.Method, path, query, r.Header, strconv.Itoa(length))
	if proof.Code != "" {
		t.Errorf("%s %s: %s: %v", r.Method, r.RequestURI, proof.Code, r.Header)
	}
}

// eachEngine runs a test with a session of each engine.
func eachEngine(t *testing.T, change func(*s3.Config), test func(t *testing.T, f *fake, s s3.Session)) {
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		t.Run(engine, func(t *testing.T) {
			cfg := s3.Config{
				Store: s3.StoreAzure, Root: "/" + account, Bucket: "box", AccessKey: account, SecretKey: key, Engine: engine,
			}
			if change != nil {
				change(&cfg)
			}
			f := &fake{Noted: notedOf, Check: func(r *http.Request, body []byte) {
				checkSignature(t, cfg.AccessKey == "", r, len(body))
			}}
			f.Session(t, cfg, test)
		})
	}
}

const box = "/devstoreaccount1/box"

// step is one operation, what the store answers, and what must have been sent.
type step struct {
	name     string
	do       func(ctx context.Context, s s3.Session, c *s3.Call) error
	answers  []answer
	requests []string
	err      string // beginning of the error; empty if the step succeeds
}

func upload(do func(context.Context, s3.Session, *s3.Call) error) func(context.Context, s3.Session, *s3.Call) error {
	return func(ctx context.Context, s s3.Session, c *s3.Call) error {
		c.Body, c.Size = strings.NewReader("hello"), 5
		return do(ctx, s, c)
	}
}

const source = "box/from%20here"

// proven is a SAS for the source, but for its end and its signature.
const proven = "se=END&sig=SIG&sp=r&sr=b&sv=2023-11-03"

var sasOfSource = regexp.MustCompile(`se=[^&]+&sig=[^&]+`)

var steps = []step{
	{"put", upload(ops.Put), []answer{{201, "", ""}}, []string{"PUT " + box + "/a%20b X-Ms-Blob-Type=BlockBlob"}, ""},
	{"put: 200", upload(ops.Put), []answer{{200, "", ""}}, []string{"PUT " + box + "/a%20b X-Ms-Blob-Type=BlockBlob"}, "bad answer: status 200"},
	{
		"put if absent", upload(func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.If.NoneMatch = "*"
			return ops.Put(ctx, s, c)
		}),
		[]answer{{409, "x-ms-error-code: BlobAlreadyExists", "<Error><Code>BlobAlreadyExists</Code><Message>It exists.\nRequestId:1\nTime:2</Message></Error>"}},
		[]string{"PUT " + box + "/a%20b If-None-Match=* X-Ms-Blob-Type=BlockBlob"},
		"409 BlobAlreadyExists: It exists.",
	},
	{"get", ops.Get, []answer{{200, "", "hello"}}, []string{"GET " + box + "/a%20b"}, ""},
	{
		"get a range", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Offset, c.Length, c.Size = 1, 3, 5
			return ops.Get(ctx, s, c)
		}, []answer{{206, "Content-Range: bytes 1-3/5", "ell"}}, []string{"GET " + box + "/a%20b Range=bytes=1-3"}, "",
	},
	{
		"get a version", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Version = "v1"
			return ops.Get(ctx, s, c)
		}, []answer{{200, "x-ms-version-id: v2", "hello"}}, []string{"GET " + box + "/a%20b?versionid=v1"}, "bad answer: asked for version v1, got v2",
	},
	{"stat", ops.Stat, []answer{{200, "Content-Length: 5", ""}}, []string{"HEAD " + box + "/a%20b"}, ""},
	{
		"stat what is not there", ops.Stat,
		[]answer{{404, "x-ms-error-code: BlobNotFound|x-ms-request-id: r1", ""}},
		[]string{"HEAD " + box + "/a%20b"},
		"404 BlobNotFound: request r1",
	},
	{"delete", ops.Delete, []answer{{202, "", ""}}, []string{"DELETE " + box + "/a%20b X-Ms-Delete-Snapshots=include"}, ""},
	{"delete: 204", ops.Delete, []answer{{204, "", ""}}, []string{"DELETE " + box + "/a%20b X-Ms-Delete-Snapshots=include"}, "bad answer: status 204"},
	{
		"append", upload(func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Append(ctx, s, c, 0) }),
		[]answer{{201, "", ""}, {201, "", ""}},
		[]string{"PUT " + box + "/a%20b X-Ms-Blob-Type=AppendBlob", "PUT " + box + "/a%20b?comp=appendblock X-Ms-Blob-Condition-Appendpos=0"},
		"",
	},
	{
		"append further", upload(func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Append(ctx, s, c, 7) }),
		[]answer{{412, "x-ms-error-code: AppendPositionConditionNotMet", ""}},
		[]string{"PUT " + box + "/a%20b?comp=appendblock X-Ms-Blob-Condition-Appendpos=7"},
		"412 AppendPositionConditionNotMet",
	},
	{
		"copy", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Copy(ctx, s, c, source) },
		[]answer{{202, "x-ms-copy-status: success", ""}},
		[]string{"PUT " + box + "/a%20b X-Ms-Copy-Source=HOST" + "/devstoreaccount1/box/from%20here"},
		"",
	},
	{
		"copy, waiting", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Copy(ctx, s, c, source+"?versionId=v1")
		},
		[]answer{
			{202, "x-ms-copy-status: pending", ""},
			{200, "x-ms-copy-status: pending", ""},
			{200, "x-ms-copy-status: failed|x-ms-copy-status-description: 500 broken", ""},
		},
		[]string{
			"PUT " + box + "/a%20b X-Ms-Copy-Source=HOST" + "/devstoreaccount1/box/from%20here?versionid=v1", "HEAD " + box + "/a%20b",
			"HEAD " + box + "/a%20b",
		},
		"copy failed: 500 broken",
	},
	{
		"copy of a small blob, whose source is proven", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Size = 5
			return ops.Copy(ctx, s, c, source)
		},
		[]answer{{202, "x-ms-copy-status: success", ""}},
		[]string{
			"PUT " + box + "/a%20b X-Ms-Copy-Source=HOST" + box + "/from%20here?" + proven + " X-Ms-Requires-Sync=true",
		},
		"",
	},
	{
		"copy of a part", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Offset, c.Length = 7, 5
			part, err := ops.CopyPart(ctx, s, c, &ops.Document{}, source, "blocks", 2)
			if err == nil && (part.Number != 2 || part.Size != 5 || c.Source != source) {
				err = fmt.Errorf("%+v of %s", part, c.Source)
			}
			return err
		},
		[]answer{{201, "", ""}},
		[]string{
			"PUT " + box + "/a%20b?blockid=MDAwMDAwMDI%3D&comp=block X-Ms-Copy-Source=HOST" + box + "/from%20here?" + proven +
				" X-Ms-Source-Range=bytes=7-11",
		},
		"",
	},
	{"head of the container", ops.HeadBucket, []answer{{200, "", ""}}, []string{"HEAD " + box + "?restype=container"}, ""},
	{
		"container", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.CreateBucket(ctx, s, c, "", false)
		},
		[]answer{{409, "x-ms-error-code: ContainerBeingDeleted", ""}},
		[]string{"PUT " + box + "?restype=container"},
		"409 ContainerBeingDeleted",
	},
	{
		"remove the container", ops.RemoveBucket,
		[]answer{{200, "", "<EnumerationResults><Blobs/><NextMarker>m</NextMarker></EnumerationResults>"}, {
			200, "", "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>",
		}, {202, "", ""}},
		[]string{
			"GET " + box + "?comp=list&include=snapshots%2Cuncommittedblobs%2Cversions&maxresults=1&restype=container",
			"GET " + box + "?comp=list&include=snapshots%2Cuncommittedblobs%2Cversions&marker=m&maxresults=1&restype=container",
			"DELETE " + box + "?restype=container",
		},
		"",
	},
	{ // Azure would delete all of it
		"remove a container that holds something", ops.RemoveBucket,
		[]answer{{200, "", "<EnumerationResults><Blobs><Blob><Name>foreign</Name></Blob></Blobs><NextMarker/></EnumerationResults>"}},
		[]string{"GET " + box + "?comp=list&include=snapshots%2Cuncommittedblobs%2Cversions&maxresults=1&restype=container"},
		"409 ContainerNotEmpty",
	},
	{
		"abort", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.AbortUpload(ctx, s, c, "blocks") },
		[]answer{{201, `ETag: "e1"`, ""}, {202, "", ""}},
		[]string{
			"PUT " + box + "/a%20b?comp=blocklist If-None-Match=* X-Ms-Blob-Content-Type=application/octet-stream",
			`DELETE ` + box + `/a%20b If-Match="e1"`,
		},
		"",
	},
	{ // what is there stays
		"abort where there is a blob", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.AbortUpload(ctx, s, c, "blocks") },
		[]answer{{409, "x-ms-error-code: BlobAlreadyExists", ""}},
		[]string{"PUT " + box + "/a%20b?comp=blocklist If-None-Match=* X-Ms-Blob-Content-Type=application/octet-stream"},
		"",
	},
	{
		"tags", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			tags, err := ops.ReadTags(ctx, s, c)
			if err == nil && (len(tags) != 2 || tags["a&b"] != "1" || tags["c"] != "2") {
				err = fmt.Errorf("%v", tags)
			}
			return err
		},
		[]answer{{200, "", "<Tags><TagSet><Tag><Key>a&amp;b</Key><Value>1</Value></Tag><Tag><Key>c</Key><Value>2</Value></Tag></TagSet></Tags>"}},
		[]string{"GET " + box + "/a%20b?comp=tags"},
		"",
	},
}

func TestRequests(t *testing.T) {
	for _, tc := range steps {
		t.Run(tc.name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = slices.Clone(tc.answers)
				c := &s3.Call{Key: "a b", Size: -1}
				err := tc.do(t.Context(), s, c)
				if (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				for i := range f.Requests {
					if before, after, found := strings.Cut(f.Requests[i], "Copy-Source=http://"); found {
						f.Requests[i] = before + "Copy-Source=HOST" + sasOfSource.ReplaceAllString(after[strings.Index(after, "/"):], "se=END&sig=SIG")
					}
				}
				if !slices.Equal(f.Requests, tc.requests) {
					t.Errorf("sent\n%s\nwant\n%s", strings.Join(f.Requests, "\n"), strings.Join(tc.requests, "\n"))
				}
			})
		})
	}
}

// TestParts uploads in blocks, and has no request before the first.
func TestParts(t *testing.T) {
	change := func(c *s3.Config) {
		c.Headers = []s3.Header{
			{Name: "X-Amz-Meta-A", Value: "b"},
			{Name: "X-Amz-Storage-Class", Value: "Cool"},
			{Name: "X-Amz-Tagging", Value: "k=v"},
			{Name: "Content-Type", Value: "text/plain"},
		}
	}
	eachEngine(t, change, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{201, "", ""}, {201, "", ""}, {201, `ETag: "e"`, ""}}
		c := &s3.Call{Key: "k"}
		id, err := ops.CreateUpload(t.Context(), s, c)
		if err != nil || len(f.Requests) > 0 {
			t.Fatal(f.Requests, err)
		}
		var parts []ops.Part
		for n := 1; n <= 2; n++ {
			part, err := ops.PutPart(t.Context(), s, &s3.Call{Key: "k", Body: strings.NewReader("hello"), Size: 5}, id, n)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
		}
		c = &s3.Call{Key: "k", WantETag: true}
		if err := ops.CompleteUpload(t.Context(), s, c, id, parts); err != nil || c.ETag != `"e"` {
			t.Error(c.ETag, err)
		}
		want := []string{
			"PUT " + box + "/k?blockid=MDAwMDAwMDE%3D&comp=block",
			"PUT " + box + "/k?blockid=MDAwMDAwMDI%3D&comp=block",
			"PUT " + box + "/k?comp=blocklist X-Ms-Blob-Content-Type=text/plain X-Ms-Meta-A=b X-Ms-Tags=k=v X-Ms-Access-Tier=Cool",
		}
		if !slices.Equal(f.Requests, want) {
			t.Errorf("sent\n%s\nwant\n%s", strings.Join(f.Requests, "\n"), strings.Join(want, "\n"))
		}
		const list = "<BlockList><Latest>MDAwMDAwMDE=</Latest><Latest>MDAwMDAwMDI=</Latest></BlockList>"
		if got := f.Bodies[2]; got != list {
			t.Errorf("committed %s, want %s", got, list)
		}
	})
}

func TestList(t *testing.T) {
	page := func(next string, blobs ...string) answer {
		return answer{200, "", "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ContainerName=\"box\"><Prefix>p/</Prefix><Blobs>" +
			strings.Join(blobs, "") + "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>"}
	}
	blob := func(name, properties string) string {
		return "<Blob>" + name + "<Properties>" + properties + "</Properties></Blob>"
	}
	const committed = "<Content-Length>0</Content-Length><AccessTier>Hot</AccessTier>"
	for _, tc := range []struct {
		name   string
		l      ops.Listing
		answer answer
		want   string // entries, then the next page
		query  string
		err    string
	}{
		{
			"names",
			ops.Listing{Prefix: "p/", ETags: true},
			page("m2", blob("<Name>p/a&amp;b</Name>", "<Content-Length>7</Content-Length><Etag>0x1</Etag>"), blob(`<Name Encoded="true">p/%01c</Name>`, "")),
			`["p/a&b" "" 7 "\"0x1\""] ["p/\x01c" "" 0 ""] m2`, "comp=list&prefix=p%2F&restype=container", "",
		},
		{"empty page", ops.Listing{Prefix: "p/", MaxKeys: 9000}, page("m"), " m", "comp=list&maxresults=5000&prefix=p%2F&restype=container", ""},
		{
			"folders",
			ops.Listing{Prefix: "p/", Flat: true},
			page("", "<BlobPrefix><Name>p/d/</Name></BlobPrefix>", blob("<Name>p/dir</Name>", "<ResourceType>directory</ResourceType>")),
			" ", "comp=list&delimiter=%2F&prefix=p%2F&restype=container", "",
		},
		{
			"unfinished uploads",
			ops.Listing{Prefix: "p/", Uploads: true},
			page("", blob("<Name>p/empty</Name>", committed), blob("<Name>p/u</Name>", "<Content-Length>0</Content-Length>")),
			`["p/u" "blocks" 0 ""] `, "comp=list&include=uncommittedblobs&prefix=p%2F&restype=container", "",
		},
		{"other prefix", ops.Listing{Prefix: "p/"}, page("", blob("<Name>q</Name>", "")), "", "comp=list&prefix=p%2F&restype=container", "wrong listing"},
		{"the same page", ops.Listing{Prefix: "p/", Token: "m"}, page("m"), "", "comp=list&marker=m&prefix=p%2F&restype=container", "bad answer"},
		{"no listing", ops.Listing{}, answer{200, "", "<Blob/>"}, "", "comp=list&restype=container", "bad answer"},
		{"cut", ops.Listing{}, answer{200, "", "<EnumerationResults><Blobs>"}, "", "comp=list&restype=container", "short body"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = []answer{tc.answer}
				l := tc.l
				err := ops.List(t.Context(), s, &s3.Call{}, &l)
				if (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
					t.Fatalf("error %v, want %q", err, tc.err)
				}
				var got []string
				for _, e := range l.Entries {
					got = append(got, fmt.Sprintf("[%q %q %d %q]", e.Key, e.Version, e.Size, e.ETag))
				}
				if text := strings.Join(got, " ") + " " + l.Next; err == nil && text != tc.want {
					t.Errorf("got %s, want %s", text, tc.want)
				}
				if want := "GET " + box + "?" + tc.query; f.Requests[0] != want {
					t.Errorf("sent %s, want %s", f.Requests[0], want)
				}
			})
		})
	}
}

// TestBatch has some objects deleted by one request, whose answer says of each what came of it.
func TestBatch(t *testing.T) {
	part := func(n, text string) string {
		return "--b1\r\nContent-Type: application/http\r\nContent-ID: " + n + "\r\n\r\n" + text + "\r\n"
	}
	ok := "HTTP/1.1 202 Accepted\r\nx-ms-delete-type-permanent: true\r\n"
	gone := "HTTP/1.1 404 The blob is not there\r\nx-ms-error-code: BlobNotFound\r\n\r\n<Error><Code>BlobNotFound</Code></Error>"
	for _, tc := range []struct{ name, answer, failed, err string }{
		{"all", part("1", ok) + part("0", ok) + "--b1--", "", ""},
		{"one is gone", part("0", ok) + part("1", gone) + "--b1--\r\n", "1", "not deleted: 1 of 2 objects"},
		{"one is missing", part("0", ok) + "--b1--", "", "bad answer"},
		{"one is there twice", part("0", ok) + part("0", ok) + "--b1--", "", "bad answer"},
		{"the whole is refused", part("", "HTTP/1.1 403 no\r\nx-ms-error-code: AuthenticationFailed\r\n") + "--b1--", "", "403 AuthenticationFailed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = []answer{{202, "Content-Type: multipart/mixed; boundary=b1", tc.answer}}
				d := ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}, {Key: "ü b", Version: "v"}}}
				err := ops.DeleteMany(t.Context(), s, &s3.Call{}, &d)
				if (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				if got := strings.Trim(fmt.Sprint(d.Places), "[]"); err != nil && len(d.Failed) > 0 && (got != tc.failed || !s3.IsNotFound(d.Failed[0].Err)) {
					t.Errorf("failed %s %v, want %s", got, d.Failed, tc.failed)
				}
				if want := "POST " + box + "?comp=batch&restype=container"; f.Requests[0] != want {
					t.Errorf("sent %s, want %s", f.Requests[0], want)
				}
				for _, want := range []string{
					"DELETE " + box + "/a HTTP/1.1\r\nx-ms-date: ", "DELETE " + box + "/%C3%BC%20b?versionid=v HTTP/1.1\r\n",
					"Authorization: SharedKey " + account + ":",
				} {
					if !strings.Contains(f.Bodies[0], want) {
						t.Errorf("sent %q, want %q in it", f.Bodies[0], want)
					}
				}
			})
		})
	}
}

// TestSAS: the token ends each address, and no line of --debug, error or source in an error repeats it.
func TestSAS(t *testing.T) {
	const token = "sv=2023-11-03&sr=c&sp=rcwdl&sig=SECRET%3D"
	var lines []string
	change := func(c *s3.Config) {
		c.AccessKey, c.SecretKey, c.SessionToken = "", "", "?"+token
		c.Debug = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	}
	eachEngine(t, change, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{200, "", "hello"}, {403, "x-ms-error-code: AuthorizationPermissionMismatch", ""}, {202, "", ""}}
		if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: 5}); err != nil {
			t.Error(err)
		}
		err := ops.HeadBucket(t.Context(), s, &s3.Call{})
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Error(err)
		}
		c := &s3.Call{Key: "to"}
		if err := ops.Copy(t.Context(), s, c, source); err != nil || strings.Contains(c.Source, "SECRET") {
			t.Error(c.Source, err)
		}
		if !strings.HasPrefix(f.Requests[0], "GET "+box+"/k?"+token) || !strings.HasPrefix(f.Requests[1], "HEAD "+box+"?restype=container&"+token) ||
			!strings.HasSuffix(f.Requests[2], "/from%20here?"+token) {
			t.Errorf("sent\n%s", strings.Join(f.Requests, "\n"))
		}
	})
	if text := strings.Join(lines, "\n"); strings.Contains(text, "SECRET") || len(lines) != 6 {
		t.Errorf("debug:\n%s", text)
	}
}

// TestJudgements says what callers make of errors, whose codes they do not know.
func TestJudgements(t *testing.T) {
	for _, tc := range []struct {
		status                             int
		code                               string
		gone, noBucket, later, unsupported bool
	}{
		{404, "BlobNotFound", true, false, false, true},
		{404, "ContainerNotFound", true, true, false, true},
		{409, "ContainerBeingDeleted", false, false, true, false},
		{503, "ServerBusy", false, false, true, false},
		{500, "OperationTimedOut", false, false, true, false},
		{501, "", false, false, false, true},
		{403, "AuthenticationFailed", false, false, false, false},
		{412, "ConditionNotMet", false, false, false, false},
	} {
		eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
			f.Answers = []answer{{tc.status, "x-ms-error-code: " + tc.code, ""}}
			err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: 5})
			got := []bool{s3.IsNotFound(err), s3.NoBucket(err), s3.Temporary(err), s3.Unsupported(err)}
			if want := []bool{tc.gone, tc.noBucket, tc.later, tc.unsupported}; !slices.Equal(got, want) {
				t.Errorf("%d %s: %v, want %v", tc.status, tc.code, got, want)
			}
		})
	}
}
