package s3_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/target"
)

const directoryBucket = "logs--use1-az4--x-s3"

// TestDirectoryBucket: requests to a directory bucket are signed with keys of sessions, which are replaced before they end, and with
// the key itself where S3 demands that. The server checks token, key and service.
func TestDirectoryBucket(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, open opener) {
		t.Parallel()
		const sessions = 6 // of two keys
		server := serve(t, responder.Options{Buckets: []string{directoryBucket}, SessionLife: 4 * time.Second})
		st := open(t, s3.Config{Hosts: []string{server.Host()}, Bucket: directoryBucket, OtherKeys: []target.Key{{Access: "OTHER", Secret: "S", Token: "T"}}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for n := 0; n < 2 || server.Sessions() < sessions; n++ {
			useDirectory(ctx, t, st.Session(n%2), fmt.Sprintf("a/%d", n))
			if t.Failed() || ctx.Err() != nil {
				t.Fatalf("round %d, after %d sessions: %v", n, server.Sessions(), ctx.Err())
			}
			time.Sleep(10 * time.Millisecond) // sessions last, whatever is done
		}
		st.Close()
		// The end cuts requests of both keys at most, which the server may have answered.
		got, created := st.Directory(), server.Sessions()
		if created < got.Created || created > got.Created+got.Failed || got.Failed > 2 || got.Spent < got.Longest || got.Longest <= 0 {
			t.Errorf("%+v, the server created %d sessions", got, created)
		}
		for _, status := range []int{403, 501} {
			for _, kind := range []op.Kind{op.Get, op.Put, op.List, op.Copy, op.PutPart, op.CopyPart, op.Delete} {
				if n := server.Responses(kind, status); n > 0 {
					t.Errorf("%d times %s got %d", n, kind, status)
				}
			}
		}
	})
}

// useDirectory sends requests of many kinds.
func useDirectory(ctx context.Context, t *testing.T, s s3.Session, key string) {
	t.Helper()
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	body := strings.NewReader("text")
	put := func(key string) {
		check("put", ops.Put(ctx, s, &s3.Call{Key: key, Body: body, Size: body.Size()}))
	}
	put(key)
	put("a/other")
	check("get", ops.Get(ctx, s, &s3.Call{Key: key, Size: body.Size()}))
	check("head bucket", ops.HeadBucket(ctx, s, &s3.Call{}))
	check("copy", ops.Copy(ctx, s, &s3.Call{Key: key + "copy"}, ops.CopySource(directoryBucket, ops.ObjectID{Key: key})))
	id, err := ops.CreateUpload(ctx, s, &s3.Call{Key: key + "parts"})
	check("create upload", err)
	part, err := ops.PutPart(ctx, s, &s3.Call{Key: key + "parts", Body: body, Size: body.Size()}, id, 1)
	check("part", err)
	check("complete", ops.CompleteUpload(ctx, s, &s3.Call{Key: key + "parts"}, id, []ops.Part{part}))
	// The prefix does not end at a slash; the server lists more, in another order.
	l := &ops.Listing{Prefix: key}
	check("list", ops.List(ctx, s, &s3.Call{}, l))
	var keys []string
	for _, e := range l.Entries {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	if want := []string{key, key + "copy", key + "parts"}; !slices.Equal(keys, want) {
		t.Errorf("listed %q, want %q", keys, want)
	}
	for _, k := range keys {
		check("delete", ops.Delete(ctx, s, &s3.Call{Key: k}))
	}
}

// TestDirectoryBucketLacks: what directory buckets lack is refused in words, and not sent.
func TestDirectoryBucketLacks(t *testing.T) {
	server := serve(t, responder.Options{Buckets: []string{directoryBucket}, SessionLife: time.Minute})
	s := open(t, s3.Config{Hosts: []string{server.Host()}, Bucket: directoryBucket}).Session(0)
	var doc ops.Document
	ctx := t.Context()
	for want, err := range map[string]error{
		"keep no versions":           ops.List(ctx, s, &s3.Call{}, &ops.Listing{All: true}),
		"keep no versions ":          ops.Get(ctx, s, &s3.Call{Key: "k", Version: "v"}),
		"tags of objects":            ops.PutTag(ctx, s, &s3.Call{Key: "k"}, &doc, "k", 1),
		"no ACLs":                    ops.GetACL(ctx, s, &s3.Call{Key: "k"}),
		"object lock":                ops.PutRetention(ctx, s, &s3.Call{Key: "k"}, &doc, time.Now()),
		"signed ahead":               ops.Get(ctx, s, &s3.Call{Key: "k", Auth: s3.AuthQuery}),
		"not those after a key":      ops.List(ctx, s, &s3.Call{}, &ops.Listing{StartAfter: "a"}),
		"version 2":                  ops.List(ctx, s, &s3.Call{}, &ops.Listing{First: true}),
		"no delimiter but":           ops.List(ctx, s, &s3.Call{}, &ops.Listing{Delimiter: "."}),
		"aws s3api create-bucket":    ops.CreateBucket(ctx, s, &s3.Call{}, s3.DefaultRegion, false),
		"list no metadata":           ops.List(ctx, s, &s3.Call{}, &ops.Listing{Metadata: true}),
		"signed ahead, as by a form": ops.Post(ctx, s, &s3.Call{Key: "k", Body: strings.NewReader("x"), Size: 1}),
	} {
		text, _, _ := strings.Cut(strings.TrimSpace(want), ",")
		if err == nil || !strings.Contains(err.Error(), "directory buckets ") || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if n := server.Sessions(); n > 0 {
		t.Errorf("%d sessions for requests that were not sent", n)
	}
}

// TestNoDirectoryBuckets: a server without sessions is reported as such.
func TestNoDirectoryBuckets(t *testing.T) {
	server := serve(t, responder.Options{Buckets: []string{directoryBucket}})
	s := open(t, s3.Config{Hosts: []string{server.Host()}, Bucket: directoryBucket}).Session(0)
	if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: -1}); err == nil || !strings.Contains(err.Error(), "CreateSession") {
		t.Error(err)
	}
}

// TestZonalEndpoints: AWS hosts belong to the zone in the bucket's name; others stay as they are.
func TestZonalEndpoints(t *testing.T) {
	for _, tc := range []struct {
		host, region, lookup string
		address, signed      string
		err                  string
	}{
		{"s3.amazonaws.com", "", "", directoryBucket + ".s3express-use1-az4.us-east-1.amazonaws.com:443", "us-east-1", ""},
		{"s3.us-west-2.amazonaws.com", "", "", directoryBucket + ".s3express-use1-az4.us-west-2.amazonaws.com:443", "us-west-2", ""},
		{"s3.amazonaws.com", "eu-north-1", "", directoryBucket + ".s3express-use1-az4.eu-north-1.amazonaws.com:443", "eu-north-1", ""},
		{"s3express-use1-az4.us-east-1.amazonaws.com", "", "", directoryBucket + ".s3express-use1-az4.us-east-1.amazonaws.com:443", "us-east-1", ""},
		{"s3express-control.us-east-1.amazonaws.com", "", "", directoryBucket + ".s3express-use1-az4.us-east-1.amazonaws.com:443", "us-east-1", ""},
		{"store:9000", "", "", "store:9000", "us-east-1", ""},
		{"store:9000", "", "host", directoryBucket + ".store:9000", "us-east-1", ""},
		{"s3express-usw2-az1.us-west-2.amazonaws.com", "", "", "", "", "another zone"},
		{"s3.amazonaws.com", "", "path", "", "", "--lookup: directory buckets"},
	} {
		st, err := connect.New(s3.Config{Hosts: []string{tc.host}, TLS: true, Bucket: directoryBucket, Region: tc.region, Lookup: tc.lookup, AccessKey: "a", SecretKey: "s"})
		if err != nil || tc.err != "" {
			if err == nil || tc.err == "" || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %q", tc.host, err, tc.err)
			}
			continue
		}
		if address, _ := st.Address(0); address != tc.address || st.Region(0) != tc.signed {
			t.Errorf("%s: %s in %s, want %s in %s", tc.host, address, st.Region(0), tc.address, tc.signed)
		}
		st.Close()
	}
}

func TestDirectoryBucketOptions(t *testing.T) {
	for want, change := range map[string]func(*s3.Config){
		`--bucket: invalid value "logs--x-s3"`: func(c *s3.Config) { c.Bucket = "logs--x-s3" },
		"--signature":                          func(c *s3.Config) { c.Signature = "S3V2" },
		"--encrypt":                            func(c *s3.Config) { c.Encrypt, c.TLS = true, true },
		"--sse-kms":                            func(c *s3.Config) { c.Uploads.Encryption = s3.SSEKMS },
		"--md5":                                func(c *s3.Config) { c.Uploads.MD5 = true },
		"--acl":                                func(c *s3.Config) { c.Headers = []s3.Header{{Name: "x-amz-acl", Value: "private"}} },
		"--tag":                                func(c *s3.Config) { c.Headers = []s3.Header{{Name: "X-Amz-Tagging", Value: "a=b"}} },
	} {
		c := s3.Config{Hosts: []string{"h"}, Bucket: directoryBucket}
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
