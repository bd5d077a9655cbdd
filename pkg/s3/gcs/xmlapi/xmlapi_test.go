package xmlapi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// step is one operation, what the store answers, and what must have been sent.
type step struct {
	name     string
	do       func(ctx context.Context, s s3.Session, c *s3.Call) error
	answers  []answer
	requests []string
	err      string // beginning of the error; empty if the step succeeds
}

type operation = func(ctx context.Context, s s3.Session, c *s3.Call) error

// upload performs an operation with contents.
func upload(do operation, change ...func(*s3.Call)) operation {
	return func(ctx context.Context, s s3.Session, c *s3.Call) error {
		c.Body, c.Size = strings.NewReader("hello"), 5
		return with(do, change...)(ctx, s, c)
	}
}

// with performs an operation on a call that is changed before.
func with(do operation, change ...func(*s3.Call)) operation {
	return func(ctx context.Context, s s3.Session, c *s3.Call) error {
		for _, f := range change {
			f(c)
		}
		return do(ctx, s, c)
	}
}

func absent(c *s3.Call)       { c.If.NoneMatch = "*" }
func unchanged(c *s3.Call)    { c.If.Match = "17" }
func quoted(c *s3.Call)       { c.If.Match = `"17"` }
func ofGeneration(c *s3.Call) { c.Version = "17" }

const (
	failedCondition = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>PreconditionFailed</Code><Message>At least one of the pre-conditions " +
		"you specified did not hold.</Message></Error>"
	noKey    = "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Details>No such object: box/a b</Details></Error>"
	noPOST   = "<Error><Code>InvalidArgument</Code><Message>Invalid argument.</Message><Details>Cannot create buckets using a POST.</Details></Error>"
	copied   = "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>"
	started  = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
	finished = "<CompleteMultipartUploadResult><ETag>\"x-1\"</ETag></CompleteMultipartUploadResult>"
)

var steps = []step{
	{"put", upload(ops.Put), []answer{{200, "x-goog-generation: 17|ETag: \"x\"", ""}}, []string{"PUT /box/a%20b"}, ""},
	{
		"put if absent", upload(ops.Put, absent),
		[]answer{{412, "x-guploader-uploadid: r1", failedCondition}},
		[]string{"PUT /box/a%20b X-Goog-If-Generation-Match=0"},
		"412 PreconditionFailed: At least one",
	},
	{"put over a generation", upload(ops.Put, unchanged), []answer{{200, "", ""}}, []string{"PUT /box/a%20b X-Goog-If-Generation-Match=17"}, ""},
	{"put over a generation in quotes", upload(ops.Put, quoted), []answer{{200, "", ""}}, []string{"PUT /box/a%20b X-Goog-If-Generation-Match=17"}, ""},
	{"get", ops.Get, []answer{{200, "", "hello"}}, []string{"GET /box/a%20b"}, ""},
	{
		"get a range", with(ops.Get, func(c *s3.Call) { c.Offset, c.Length, c.Size = 1, 3, 5 }),
		[]answer{{206, "Content-Range: bytes 1-3/5", "ell"}},
		[]string{"GET /box/a%20b Range=bytes=1-3"},
		"",
	},
	{
		"get a generation", with(ops.Get, ofGeneration),
		[]answer{{200, "x-goog-generation: 18", "hello"}},
		[]string{"GET /box/a%20b?generation=17"},
		"bad answer: asked for version 17, got 18",
	},
	{"head", with(ops.Stat, unchanged), []answer{{200, "Content-Length: 5", ""}}, []string{"HEAD /box/a%20b X-Goog-If-Generation-Match=17"}, ""},
	{"delete", ops.Delete, []answer{{204, "", ""}}, []string{"DELETE /box/a%20b"}, ""},
	{
		"delete a generation", with(ops.Delete, ofGeneration, unchanged),
		[]answer{{204, "", ""}},
		[]string{"DELETE /box/a%20b?generation=17 X-Goog-If-Generation-Match=17"},
		"",
	},
	{
		"delete what is not there", ops.Delete,
		[]answer{{404, "x-guploader-uploadid: r1", noKey}},
		[]string{"DELETE /box/a%20b"},
		"404 NoSuchKey: The specified key does not exist: No such object: box/a b (request r1)",
	},
	{
		"copy a generation",
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Copy(ctx, s, c, "box/from%20here?versionId=17")
		},
		[]answer{{200, "", copied}},
		[]string{"PUT /box/a%20b X-Goog-Copy-Source=/box/from%20here X-Goog-Copy-Source-Generation=17"},
		"",
	},
	{
		"copy onto itself",
		func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.CopyOnto(ctx, s, c, "box/a%20b") },
		[]answer{{200, "", copied}},
		[]string{"PUT /box/a%20b X-Goog-Copy-Source=/box/a%20b"},
		"",
	},
	{
		"compose",
		func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Compose(ctx, s, c, []string{"one & two", "é"})
		},
		[]answer{{200, "x-goog-generation: 17", ""}},
		[]string{"PUT /box/a%20b?compose="},
		"",
	},
	{
		"one name too often", upload(ops.Put),
		[]answer{{429, "", "<Error><Code>SlowDown</Code><Message>The object exceeded the rate limit for object mutation operations.</Message></Error>"}},
		[]string{"PUT /box/a%20b"},
		"429 SlowDown: one name was written more than once in a second",
	},
	{"head of the bucket", ops.HeadBucket, []answer{{200, "", ""}}, []string{"HEAD /box/"}, ""},
	{
		"bucket", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.CreateBucket(ctx, s, c, "auto", false)
		},
		[]answer{{409, "", "<Error><Code>BucketAlreadyExists</Code><Message>Taken.</Message></Error>"}},
		[]string{"PUT /box/ X-Goog-Project-Id=p-1"},
		"409 BucketAlreadyExists: Taken.",
	},
	{"remove the bucket", ops.RemoveBucket, []answer{{204, "", ""}}, []string{"DELETE /box/"}, ""},
	{
		"list", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.List(ctx, s, c, &ops.Listing{Prefix: "l/", StartAfter: "l/0", MaxKeys: 2})
		},
		[]answer{{200, "", "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>l/1</Key><Generation>17</Generation></Contents></ListBucketResult>"}},
		[]string{"GET /box/?encoding-type=url&list-type=2&max-keys=2&prefix=l%2F&start-after=l%2F0"},
		"",
	},
	{
		"list by version 1", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.List(ctx, s, c, &ops.Listing{First: true, Token: "l/0"})
		},
		[]answer{{200, "", "<ListBucketResult></ListBucketResult>"}},
		[]string{"GET /box/?encoding-type=url&marker=l%2F0&prefix="},
		"",
	},
	{
		"list versions", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.List(ctx, s, c, &ops.Listing{All: true})
		},
		nil, nil, "invalid request: warp cannot use versions in the XML interface",
	},
	{
		"tags", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.DeleteTags(ctx, s, c) },
		nil, nil, "invalid request: Google Cloud Storage has no tags",
	},
	{"begin an upload", func(ctx context.Context, s s3.Session, c *s3.Call) error {
		id, err := ops.CreateUpload(ctx, s, c)
		if err == nil && id != "u1" {
			return ops.BadResponse("id", nil)
		}
		return err
	}, []answer{{200, "", started}}, []string{"POST /box/a%20b?uploads="}, ""},
	{
		"abort an upload", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.AbortUpload(ctx, s, c, "u1") },
		[]answer{{204, "", ""}},
		[]string{"DELETE /box/a%20b?uploadId=u1"},
		"",
	},
}

func TestOperations(t *testing.T) {
	project := func(c *s3.Config) { c.Project = "p-1" }
	for _, st := range steps {
		t.Run(st.name, func(t *testing.T) {
			eachEngine(t, project, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = slices.Clone(st.answers)
				err := st.do(t.Context(), s, &s3.Call{Size: -1, Key: "a b"})
				if got := text(err); (st.err == "") != (got == "") || !strings.HasPrefix(got, st.err) {
					t.Errorf("error %q, want %q", got, st.err)
				}
				if !slices.Equal(f.Requests, st.requests) {
					t.Errorf("sent\n%s\nwant\n%s", strings.Join(f.Requests, "\n"), strings.Join(st.requests, "\n"))
				}
			})
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestGeneration: the generation is the version of an object, and what conditions take.
func TestGeneration(t *testing.T) {
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{200, "x-goog-generation: 17|ETag: \"x\"", ""}}
		c := s3.Call{Key: "k", Body: strings.NewReader("hello"), Size: 5, WantETag: true}
		if err := ops.Put(t.Context(), s, &c); err != nil || c.VersionID != "17" || c.ETag != "17" {
			t.Errorf("version %q, ETag %q, %v", c.VersionID, c.ETag, err)
		}
	})
}

// TestParts: parts have their ETags, and the object its generation. A CRC32C goes with each part, and is not stated at the end.
func TestParts(t *testing.T) {
	sum := func(c *s3.Config) { c.Uploads.Checksum = "CRC32C" }
	eachEngine(t, sum, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{200, "", started}, {200, "ETag: \"p1\"", ""}, {200, "x-goog-generation: 17", finished}}
		c := s3.Call{Key: "k", Size: -1}
		id, err := ops.CreateUpload(t.Context(), s, &c)
		if err != nil {
			t.Fatal(err)
		}
		c = s3.Call{Key: "k", Body: strings.NewReader("hello"), Size: 5}
		part, err := ops.PutPart(t.Context(), s, &c, id, 1)
		if err != nil || part.ETag != "p1" || part.Checksum.Algorithm != nil {
			t.Fatalf("part %+v, %v", part, err)
		}
		c = s3.Call{Key: "k", WantETag: true}
		if err := ops.CompleteUpload(t.Context(), s, &c, id, []ops.Part{part}); err != nil || c.ETag != "17" {
			t.Fatalf("ETag %q, %v", c.ETag, err)
		}
		want := []string{"POST /box/k?uploads=", "PUT /box/k?partNumber=1&uploadId=u1 X-Goog-Hash=crc32c=mnG7TA==", "POST /box/k?uploadId=u1"}
		if !slices.Equal(f.Requests, want) {
			t.Errorf("sent\n%s", strings.Join(f.Requests, "\n"))
		}
		if !strings.Contains(f.Bodies[2], "<PartNumber>1</PartNumber><ETag>p1</ETag></Part>") {
			t.Errorf("completed by %s", f.Bodies[2])
		}
	})
}

// TestUploadHeaders: what a store of S3 is told of objects is said in Google's words.
func TestUploadHeaders(t *testing.T) {
	headers := func(c *s3.Config) {
		c.Uploads.Checksum = "CRC32C"
		c.Region = "EU"
		c.Headers = []s3.Header{{Name: "X-Amz-Meta-Colour", Value: "red"}, {Name: "X-Amz-Storage-Class", Value: "NEARLINE"}}
	}
	eachEngine(t, headers, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{200, "", ""}, {200, "", ""}, {200, "", ""}}
		if err := ops.Put(t.Context(), s, &s3.Call{Key: "k", Body: strings.NewReader("hello"), Size: 5}); err != nil {
			t.Error(err)
		}
		if err := ops.CreateBucket(t.Context(), s, &s3.Call{}, "auto", false); err != nil {
			t.Error(err)
		}
		if err := ops.Compose(t.Context(), s, &s3.Call{Key: "whole"}, []string{"one & two", "é"}); err != nil {
			t.Error(err)
		}
		want := []string{
			"PUT /box/k X-Goog-Hash=crc32c=mnG7TA== X-Goog-Meta-Colour=red X-Goog-Storage-Class=NEARLINE", "PUT /box/",
			"PUT /box/whole?compose= X-Goog-Meta-Colour=red X-Goog-Storage-Class=NEARLINE",
		}
		const components = "<Component><Name>one &amp; two</Name></Component><Component><Name>é</Name></Component>"
		if got := f.Bodies[2]; got != "<ComposeRequest>"+components+"</ComposeRequest>" {
			t.Errorf("composed by %s", got)
		}
		if !slices.Equal(f.Requests, want) || !strings.Contains(f.Bodies[1], "<LocationConstraint>EU</LocationConstraint>") {
			t.Errorf("sent\n%s\n%s", strings.Join(f.Requests, "\n"), f.Bodies[1])
		}
	})
}

// TestDeleteMany: what the store refuses to delete together is deleted one by one, from then on at once.
func TestDeleteMany(t *testing.T) {
	for name, refusal := range map[string]answer{
		"by an argument": {400, "", noPOST}, "by a code": {501, "", "<Error><Code>NotImplemented</Code></Error>"},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = []answer{refusal, {204, "", ""}, {404, "", noKey}, {204, "", ""}}
				d := ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}, {Key: "b", Version: "17"}}}
				c := s3.Call{}
				err := ops.DeleteMany(t.Context(), s, &c, &d)
				if len(d.Failed) != 1 || d.Places[0] != 1 || !s3.IsNotFound(d.Failed[0].Err) || !strings.HasPrefix(text(err), "not deleted: 1 of 2") {
					t.Errorf("failed %v, %v", d.Failed, err)
				}
				if c.Requests != 3 {
					t.Errorf("%d requests, want 3", c.Requests)
				}
				d = ops.Deletion{Objects: []ops.ObjectID{{Key: "c"}}}
				if err := ops.DeleteMany(t.Context(), s, &c, &d); err != nil {
					t.Error(err)
				}
				want := []string{"POST /box/?delete=", "DELETE /box/a", "DELETE /box/b?generation=17", "DELETE /box/c"}
				if !slices.Equal(f.Requests, want) {
					t.Errorf("sent\n%s", strings.Join(f.Requests, "\n"))
				}
			})
		})
	}
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{200, "", "<DeleteResult></DeleteResult>"}}
		d := ops.Deletion{Objects: []ops.ObjectID{{Key: "a", Version: "17"}}}
		if err := ops.DeleteMany(t.Context(), s, &s3.Call{}, &d); err != nil || !strings.Contains(f.Bodies[0], "<VersionId>17</VersionId>") {
			t.Errorf("%v, %s", err, f.Bodies[0])
		}
	})
}
