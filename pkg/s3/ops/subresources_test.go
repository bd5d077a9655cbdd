package ops_test

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func getTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	return ops.GetTags(ctx, s, c, &ops.Document{})
}

func getRetention(ctx context.Context, s s3.Session, c *s3.Call) error {
	_, err := ops.GetRetention(ctx, s, c, &ops.Document{})
	return err
}

func getLegalHold(ctx context.Context, s s3.Session, c *s3.Call) error {
	_, err := ops.GetLegalHold(ctx, s, c, &ops.Document{})
	return err
}

// What each request sends, and which responses it accepts.
func TestSubresources(t *testing.T) {
	var doc ops.Document
	type request = func(context.Context, s3.Session, *s3.Call) error
	put := func(send func(ctx context.Context, s s3.Session, c *s3.Call, d *ops.Document) error) request {
		return func(ctx context.Context, s s3.Session, c *s3.Call) error { return send(ctx, s, c, &doc) }
	}
	for name, tc := range map[string]struct {
		send     request
		line     string // method and query
		header   string // name and value
		body     string
		response string // that it accepts
		wrong    string // that it does not
		class    string
	}{
		"get tags":    {getTags, "GET tagging=&versionId=v", "", "", "<?xml version='1.0'?>\n<!-- x -->\n<x:Tagging xmlns:x='y'/>", "content of the object", "bad answer"},
		"delete tags": {ops.DeleteTags, "DELETE tagging=&versionId=v", "", "", "", "<Error><Code>Busy</Code></Error>", "Busy"},
		"put tag": {put(func(ctx context.Context, s s3.Session, c *s3.Call, d *ops.Document) error {
			return ops.PutTag(ctx, s, c, d, "a", 7)
		}), "PUT tagging=&versionId=v", "", "<Tagging><TagSet><Tag><Key>a</Key><Value>7</Value></Tag></TagSet></Tagging>", "", "<Error><Code>Busy</Code></Error>", "Busy"},
		"attributes": {
			ops.GetAttributes, "GET attributes=&versionId=v", "X-Amz-Object-Attributes ETag,ObjectParts,ObjectSize,StorageClass", "",
			"<getObjectAttributesResponse><ETag>e</ETag><ObjectSize>5</ObjectSize></getObjectAttributesResponse>",
			"<GetObjectAttributesResponse><ObjectSize>50</ObjectSize></GetObjectAttributesResponse>", "wrong length",
		},
		"acl":           {ops.GetACL, "GET acl=&versionId=v", "", "", "<AccessControlPolicy></AccessControlPolicy>", "<Error><Code>Busy</Code></Error>", "Busy"},
		"get retention": {getRetention, "GET retention=&versionId=v", "", "", "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-02T03:04:05Z</RetainUntilDate></Retention>", "<Tagging/>", "bad answer"},
		"put retention": {put(func(ctx context.Context, s s3.Session, c *s3.Call, d *ops.Document) error {
			return ops.PutRetention(ctx, s, c, d, time.Date(2030, 1, 2, 4, 4, 5, 6, time.FixedZone("", 3600)))
		}), "PUT retention=&versionId=v", "X-Amz-Bypass-Governance-Retention true", "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-02T03:04:05Z</RetainUntilDate></Retention>", "", "<Error><Code>Busy</Code></Error>", "Busy"},
		"get legal hold": {getLegalHold, "GET legal-hold=&versionId=v", "", "", "<LegalHold><Status>ON</Status></LegalHold>", "", "bad answer"},
		"put legal hold": {put(func(ctx context.Context, s s3.Session, c *s3.Call, d *ops.Document) error {
			return ops.PutLegalHold(ctx, s, c, d, true)
		}), "PUT legal-hold=&versionId=v", "", "<LegalHold><Status>ON</Status></LegalHold>", "", "<Error><Code>Busy</Code></Error>", "Busy"},
		"copy": {
			func(ctx context.Context, s s3.Session, c *s3.Call) error {
				return ops.Copy(ctx, s, c, ops.CopySource("b", ops.ObjectID{Key: "ü/a b", Version: "v+1"}))
			}, "PUT ", "X-Amz-Copy-Source b/%C3%BC/a%20b?versionId=v%2B1", "",
			"<CopyObjectResult><ETag>e</ETag></CopyObjectResult>", "", "bad answer",
		},
		"copy part": {
			func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Offset, c.Length = 10, 5
				part, err := ops.CopyPart(ctx, s, c, &ops.Document{}, "b/k", "id", 7)
				if err == nil && part != (ops.Part{Number: 7, ETag: "e", Size: 5}) {
					err = fmt.Errorf("part %v", part)
				}
				return err
			}, "PUT partNumber=7&uploadId=id", "X-Amz-Copy-Source-Range bytes=10-14", "",
			"<x:CopyPartResult xmlns:x='y'>\n<ETag>&quot;e&quot;</ETag></x:CopyPartResult>", "<CopyPartResult><ETag>&#34;&#34;</ETag></CopyPartResult>", "bad answer",
		},
		"copy all as a part": {
			func(ctx context.Context, s s3.Session, c *s3.Call) error {
				_, err := ops.CopyPart(ctx, s, c, &ops.Document{}, "b/k", "id", 7)
				return err
			}, "PUT partNumber=7&uploadId=id", "X-Amz-Copy-Source b/k", "",
			"<CopyObjectResult><ETag>\"e\"</ETag></CopyObjectResult>", "<Error><Code>Busy</Code></Error>", "Busy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, open opener) {
				var seen *http.Request
				var body, response string
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					text, _ := io.ReadAll(r.Body)
					seen, body = r, string(text)
					_, _ = io.WriteString(w, response)
				}))
				defer server.Close()
				s := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}}).Session(0)
				call := func(text string) error {
					response = text
					c := &s3.Call{Key: "k", Version: "v", Size: 5}
					err := tc.send(t.Context(), s, c)
					if c.Status != http.StatusOK {
						t.Errorf("status %d", c.Status)
					}
					return err
				}
				if err := call(tc.response); err != nil {
					t.Fatal(err)
				}
				if line := seen.Method + " " + seen.URL.RawQuery; line != tc.line || body != tc.body {
					t.Errorf("sent %q, body %q; want %q, %q", line, body, tc.line, tc.body)
				}
				header, value, _ := strings.Cut(tc.header, " ")
				if got := seen.Header.Get(header); got != value || header != "" && !strings.Contains(seen.Header.Get("Authorization"), strings.ToLower(header)) {
					t.Errorf("%s: sent %q, want %q, signed: %s", header, got, value, seen.Header.Get("Authorization"))
				}
				sum := md5.Sum([]byte(tc.body))
				if want := base64.StdEncoding.EncodeToString(sum[:]); tc.body != "" && seen.Header.Get("Content-Md5") != want {
					t.Errorf("Content-MD5 %q, want %q", seen.Header.Get("Content-Md5"), want)
				}
				if class := s3.AsError(call(tc.wrong)).Class; class != tc.class {
					t.Errorf("the error for %q has the class %q, want %q", tc.wrong, class, tc.class)
				}
			})
		})
	}
}

// Both sizes that servers state after an append are right, others are not.
func TestAppend(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var stated string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Amz-Write-Offset-Bytes") != "10" {
				w.WriteHeader(http.StatusBadRequest)
			}
			if stated != "" {
				w.Header().Set("X-Amz-Object-Size", stated)
			}
		}))
		defer server.Close()
		s := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}}).Session(0)
		for size, ok := range map[string]bool{"": true, "14": true, "4": true, "10": false, "x": false} {
			stated = size
			c := &s3.Call{Key: "k", Body: strings.NewReader("more"), Size: 4}
			if err := ops.Append(t.Context(), s, c, 10); (err == nil) != ok {
				t.Errorf("stated size %q: %v", size, err)
			}
		}
	})
}

// Variants of a listing, and the pages that follow.
func TestListVariants(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var query, response string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query = r.URL.RawQuery
			_, _ = io.WriteString(w, response)
		}))
		defer server.Close()
		s := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}}).Session(0)
		for name, tc := range map[string]struct {
			listing  ops.Listing
			query    string
			response string
			next     string
			rolledUp int
			wrong    bool
		}{
			"start after":         {ops.Listing{StartAfter: "a"}, "encoding-type=url&list-type=2&prefix=&start-after=a", "<ListBucketResult><Contents><Key>b</Key></Contents></ListBucketResult>", "", 0, false},
			"start after ignored": {ops.Listing{StartAfter: "b"}, "encoding-type=url&list-type=2&prefix=&start-after=b", "<ListBucketResult><Contents><Key>b</Key></Contents></ListBucketResult>", "", 0, true},
			"its second page":     {ops.Listing{StartAfter: "a", Token: "t"}, "continuation-token=t&encoding-type=url&list-type=2&prefix=", "<ListBucketResult></ListBucketResult>", "", 0, false},
			"version 1":           {ops.Listing{First: true, StartAfter: "a"}, "encoding-type=url&marker=a&prefix=", "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>b</Key></Contents></ListBucketResult>", "b", 0, false},
			"version 1, delimiter": {
				ops.Listing{First: true, Delimiter: "."},
				"delimiter=.&encoding-type=url&prefix=",
				"<ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType><NextMarker>c%2F.</NextMarker><CommonPrefixes><Prefix>c%2F.</Prefix></CommonPrefixes></ListBucketResult>", "c/.", 1, false,
			},
			"versions":          {ops.Listing{All: true, StartAfter: "a"}, "encoding-type=url&key-marker=a&prefix=&versions=", "<ListVersionsResult></ListVersionsResult>", "", 0, false},
			"metadata":          {ops.Listing{Metadata: true}, "encoding-type=url&list-type=2&metadata=true&prefix=", "<ListBucketResult></ListBucketResult>", "", 0, false},
			"delimiter of flat": {ops.Listing{Flat: true}, "delimiter=%2F&encoding-type=url&list-type=2&prefix=", "<ListBucketResult><CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult>", "", 1, false},
		} {
			response = tc.response
			l := tc.listing
			err := ops.List(t.Context(), s, &s3.Call{}, &l)
			if (err != nil) != tc.wrong || query != tc.query || l.Next != tc.next || l.RolledUp != tc.rolledUp {
				t.Errorf("%s: %v; sent %q, want %q; next %q, want %q; %d rolled up", name, err, query, tc.query, l.Next, tc.next, l.RolledUp)
			}
		}
	})
}
