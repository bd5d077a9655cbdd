package jsonapi_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/responder/gcsjson"
	"warp/internal/responder/stores"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"

	"warp/pkg/s3/internal/s3test"
)

// project is a store that the responder plays.
type project struct {
	*gcsjson.Store
	server *responder.Server
	s3.Session
}

// eachProject runs a test with both engines.
func eachProject(t *testing.T, o gcsjson.Options, change func(*s3.Config), test func(t *testing.T, p *project)) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		p := &project{Store: gcsjson.New(o)}
		p.server = s3test.Serve(t, responder.Options{Dialect: p.Store, Keep: true})
		cfg := stores.GoogleJSON()
		cfg.Hosts = []string{p.server.Host()}
		if change != nil {
			change(&cfg)
		}
		p.Session = open(t, cfg).Session(0)
		test(t, p)
	})
}

const key = "a/b c%é"

func (p *project) put(t *testing.T, text string, conditions s3.Conditions) (*s3.Call, error) {
	t.Helper()
	c := &s3.Call{Key: key, Body: strings.NewReader(text), Size: int64(len(text)), If: conditions, WantETag: true}
	return c, ops.Put(t.Context(), p, c)
}

func (p *project) mustPut(t *testing.T, text string) *s3.Call {
	t.Helper()
	c, err := p.put(t, text, s3.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *project) get(t *testing.T, c s3.Call) (string, error) {
	t.Helper()
	var b bytes.Buffer
	c.Key, c.Into = key, &b
	err := ops.Get(t.Context(), p, &c)
	return b.String(), err
}

func status(err error) int { return s3.AsError(err).Status }

func TestObjects(t *testing.T) {
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		c := p.mustPut(t, "hello world")
		if c.Bytes != 11 || c.VersionID == "" || c.ETag != c.VersionID || c.Requests != 1 {
			t.Errorf("put: %+v", c.Response)
		}
		if got, err := p.get(t, s3.Call{Size: 11}); got != "hello world" || err != nil {
			t.Errorf("get: %q, %v", got, err)
		}
		if got, err := p.get(t, s3.Call{Offset: 2, Length: 4, Size: 11}); got != "llo " || err != nil {
			t.Errorf("range: %q, %v", got, err)
		}
		if _, err := p.get(t, s3.Call{Offset: 100, Length: 4, Size: -1}); status(err) != 416 {
			t.Errorf("range beyond the end: %v", err)
		}
		look := &s3.Call{Key: key, Size: 11, WantETag: true}
		if err := ops.Stat(t.Context(), p, look); err != nil || look.ETag != c.ETag {
			t.Errorf("stat: %v, %s", err, look.ETag)
		}
		if err := ops.Stat(t.Context(), p, &s3.Call{Key: key, Size: 12}); s3.AsError(err).Class != s3.ClassWrongLength {
			t.Errorf("stat of another size: %v", err)
		}
		if err := ops.Delete(t.Context(), p, &s3.Call{Key: key}); err != nil {
			t.Errorf("delete: %v", err)
		}
		for name, err := range map[string]error{
			"delete": ops.Delete(t.Context(), p, &s3.Call{Key: key}),
			"stat":   ops.Stat(t.Context(), p, &s3.Call{Key: key, Size: -1}),
			"get":    ops.Get(t.Context(), p, &s3.Call{Key: key, Size: -1}),
		} {
			if !s3.IsNotFound(err) || s3.AsError(err).Says(s3.NoContainer) {
				t.Errorf("%s of what is gone: %v", name, err)
			}
		}
	})
}

// TestCompose: objects are joined in their order, and the size of the new one is compared.
func TestCompose(t *testing.T) {
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		p.mustPut(t, "hello ")
		c := &s3.Call{Key: "wh/ole", Size: 12, WantETag: true}
		if err := ops.Compose(t.Context(), p, c, []string{key, key}); err != nil || c.VersionID == "" || c.ETag != c.VersionID {
			t.Fatalf("%v, %+v", err, c.Response)
		}
		var b bytes.Buffer
		if err := ops.Get(t.Context(), p, &s3.Call{Key: "wh/ole", Size: 12, Into: &b}); err != nil || b.String() != "hello hello " {
			t.Errorf("%q, %v", b.String(), err)
		}
		if err := ops.Compose(t.Context(), p, &s3.Call{Key: "wh/ole", Size: 13}, []string{key, key}); s3.AsError(err).Class != s3.ClassWrongLength {
			t.Errorf("of another size: %v", err)
		}
		if err := ops.Compose(t.Context(), p, &s3.Call{Key: "x", Size: -1}, []string{"missing"}); !s3.IsNotFound(err) {
			t.Errorf("of nothing: %v", err)
		}
	})
}

// TestConditions: each condition is honoured on each verb, by generation.
func TestConditions(t *testing.T) {
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		if _, err := p.put(t, "x", s3.Conditions{Match: "*"}); status(err) != 412 {
			t.Errorf("put if there is one: %v", err)
		}
		now := p.mustPut(t, "one").ETag
		for _, row := range []struct {
			verb string
			of   s3.Conditions
			want int
		}{
			{"put", s3.Conditions{NoneMatch: "*"}, 412},
			{"put", s3.Conditions{Match: "1"}, 412},
			{"put", s3.Conditions{Match: `"1"`}, 412},
			{"put", s3.Conditions{NoneMatch: now}, 412},
			{"get", s3.Conditions{Match: "1"}, 412},
			{"get", s3.Conditions{NoneMatch: now}, 304},
			{"get", s3.Conditions{Match: now}, 0},
			{"stat", s3.Conditions{Match: "1"}, 412},
			{"stat", s3.Conditions{NoneMatch: now}, 304},
			{"copy", s3.Conditions{NoneMatch: "*"}, 412},
			{"delete", s3.Conditions{Match: "1"}, 412},
			{"delete", s3.Conditions{Match: now}, 0},
		} {
			var err error
			switch c := (&s3.Call{Key: key, Size: -1, If: row.of}); row.verb {
			case "put":
				_, err = p.put(t, "two", row.of)
			case "get":
				err = ops.Get(t.Context(), p, c)
			case "stat":
				err = ops.Stat(t.Context(), p, c)
			case "copy":
				err = ops.Copy(t.Context(), p, c, ops.CopySource("bucket", ops.ObjectID{Key: key}))
			case "delete":
				err = ops.Delete(t.Context(), p, c)
			}
			if status(err) != row.want {
				t.Errorf("%s %+v: got %v, want %d", row.verb, row.of, err, row.want)
			}
		}
	})
}

func TestGenerations(t *testing.T) {
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		ctx := t.Context()
		if state, err := ops.GetVersioning(ctx, p, &s3.Call{}); state != "" || err != nil {
			t.Errorf("at first: %q, %v", state, err)
		}
		if err := ops.EnableVersioning(ctx, p, &s3.Call{}); err != nil {
			t.Fatal(err)
		}
		if state, err := ops.GetVersioning(ctx, p, &s3.Call{}); state != ops.VersioningEnabled || err != nil {
			t.Errorf("then: %q, %v", state, err)
		}
		one, two := p.mustPut(t, "one").VersionID, p.mustPut(t, "two").VersionID
		if got, err := p.get(t, s3.Call{Version: one, Size: 3}); got != "one" || err != nil {
			t.Errorf("the first: %q, %v", got, err)
		}
		if err := ops.Delete(ctx, p, &s3.Call{Key: key}); err != nil {
			t.Error(err)
		}
		l := ops.Listing{All: true}
		if err := ops.List(ctx, p, &s3.Call{}, &l); err != nil || len(l.Entries) != 2 || l.Entries[0].Version != one {
			t.Errorf("listed: %+v, %v", l.Entries, err)
		}
		many := &ops.Deletion{Objects: []ops.ObjectID{{Key: key, Version: one}, {Key: key, Version: two}, {Key: "gone"}}}
		err := ops.DeleteMany(ctx, p, &s3.Call{}, many)
		if s3.AsError(err).Class != s3.ClassNotDeleted || !slices.Equal(many.Places, []int{2}) || !s3.IsNotFound(many.Failed[0].Err) {
			t.Errorf("deletions: %v, %+v", err, many.Failed)
		}
		if left := p.Holds("bucket"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestListing: pages may be empty and not be the last, and begin after a key although the store begins with it.
func TestListing(t *testing.T) {
	eachProject(t, gcsjson.Options{EmptyPages: true}, nil, func(t *testing.T, p *project) {
		for _, name := range []string{"l/1", "l/2", "l/d/3", "l/d/4", "l/é"} {
			if err := ops.Put(t.Context(), p, &s3.Call{Key: name, Body: strings.NewReader(""), Size: 0}); err != nil {
				t.Fatal(err)
			}
		}
		for name, row := range map[string]struct {
			of       ops.Listing
			want     string
			rolledUp int
		}{
			"all":         {ops.Listing{Prefix: "l/", MaxKeys: 2}, "l/1 l/2 l/d/3 l/d/4 l/é", 0},
			"start after": {ops.Listing{Prefix: "l/", MaxKeys: 2, StartAfter: "l/2"}, "l/d/3 l/d/4 l/é", 0},
			"delimiter":   {ops.Listing{Prefix: "l/", MaxKeys: 2, Delimiter: "/"}, "l/1 l/2 l/é", 1},
		} {
			var keys []string
			rolledUp, pages := 0, 0
			for l := row.of; ; l.Token = l.Next {
				if err := ops.List(t.Context(), p, &s3.Call{}, &l); err != nil {
					t.Fatal(name, err)
				}
				for _, e := range l.Entries {
					keys = append(keys, e.Key)
				}
				rolledUp, pages = rolledUp+l.RolledUp, pages+1
				if l.Next == "" {
					break
				}
			}
			if got := strings.Join(keys, " "); got != row.want || rolledUp != row.rolledUp || pages < 4 {
				t.Errorf("%s: %s, %d prefixes, %d pages", name, got, rolledUp, pages)
			}
		}
	})
}

// TestResumable: a copy or an upload of several requests is one operation, whatever part of it the store takes at a time.
func TestResumable(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 50_000) // three chunks and a bit
	for name, o := range map[string]gcsjson.Options{"whole chunks": {}, "shorter chunks": {Short: 256 << 10}} {
		t.Run(name, func(t *testing.T) {
			eachProject(t, o, func(c *s3.Config) { c.Uploads.Chunk = 512 << 10 }, func(t *testing.T, p *project) {
				c := p.mustPut(t, text)
				if c.Bytes != int64(len(text)) || c.Size != int64(len(text)) || c.Requests < 3 || c.VersionID == "" {
					t.Errorf("%+v", c.Response)
				}
				if got, err := p.get(t, s3.Call{Size: int64(len(text))}); got != text || err != nil {
					t.Errorf("%d bytes came back: %v", len(got), err)
				}
				if c = p.mustPut(t, ""); c.Bytes != 0 {
					t.Errorf("an empty one: %+v", c.Response)
				}
				if _, err := p.put(t, text, s3.Conditions{NoneMatch: "*"}); status(err) != 412 {
					t.Errorf("if there is none: %v", err)
				}
				if left := p.Uploads("bucket"); len(left) > 0 {
					t.Errorf("sessions are left: %q", left)
				}
			})
		})
	}
}

// TestResumableAfterErrors: the store is asked what it has, as often as there are retries.
func TestResumableAfterErrors(t *testing.T) {
	text := strings.Repeat("x", 700_000)
	for _, retries := range []int{0, 2} {
		t.Run(fmt.Sprint(retries), func(t *testing.T) {
			s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
				store := gcsjson.New(gcsjson.Options{})
				r := s3test.Serve(t, responder.Options{Dialect: store, Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
					if k == op.Put && n == 1 {
						return responder.Fault{Status: 503, Execute: true}
					}
					return responder.Fault{}
				}})
				cfg := stores.GoogleJSON()
				cfg.Hosts, cfg.Uploads.Chunk, cfg.Retries, cfg.Backoff = []string{r.Host()}, 256<<10, retries, time.Microsecond
				c := &s3.Call{Key: key, Body: strings.NewReader(text), Size: int64(len(text))}
				err := ops.Put(t.Context(), open(t, cfg).Session(0), c)
				if (err == nil) != (retries > 0) {
					t.Fatalf("%d retries: %v", retries, err)
				}
				if retries > 0 && (c.Retries != 1 || c.Bytes != int64(len(text))) {
					t.Errorf("%+v", c.Response)
				}
			})
		})
	}
}

func TestRewrite(t *testing.T) {
	eachProject(t, gcsjson.Options{Rewrites: 2}, nil, func(t *testing.T, p *project) {
		id := p.mustPut(t, "one").VersionID
		c := &s3.Call{Key: "copy/of", Size: 3, WantETag: true}
		if err := ops.Copy(t.Context(), p, c, ops.CopySource("bucket", ops.ObjectID{Key: key, Version: id})); err != nil {
			t.Fatal(err)
		}
		if c.Requests != 3 || c.ETag == "" || c.ETag == id {
			t.Errorf("%+v", c.Response)
		}
		if err := ops.Copy(t.Context(), p, c, ops.CopySource("bucket", ops.ObjectID{Key: "gone"})); !s3.IsNotFound(err) {
			t.Errorf("a copy of what is not there: %v", err)
		}
	})
}

// TestDescribed: metadata, storage class and checksums go along, and the store checks the latter.
func TestDescribed(t *testing.T) {
	change := func(c *s3.Config) {
		c.Headers = []s3.Header{{Name: "X-Amz-Meta-Color", Value: "blue"}, {Name: "X-Amz-Storage-Class", Value: "NEARLINE"}, {Name: "Content-Type", Value: "text/plain"}}
		c.Uploads.Checksum, c.Uploads.MD5 = "CRC32C", true
	}
	eachProject(t, gcsjson.Options{}, change, func(t *testing.T, p *project) {
		for _, text := range []string{"hello world", ""} {
			if c := p.mustPut(t, text); c.Bytes != int64(len(text)) || c.Size != int64(len(text)) {
				t.Errorf("%+v", c.Response)
			}
			if got, err := p.get(t, s3.Call{Size: int64(len(text))}); got != text || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
	})
	eachProject(t, gcsjson.Options{}, change, func(t *testing.T, p *project) {
		c := &s3.Call{Key: key, Body: &changing{}, Size: 5}
		if err := ops.Put(t.Context(), p, c); status(err) != 400 {
			t.Errorf("contents that differ from their checksum: %v", err)
		}
	})
}

// changing is a body that is another one each time it is read.
type changing struct{ n byte }

func (c *changing) ReadAt(p []byte, off int64) (int, error) {
	c.n++
	for i := range p {
		p[i] = c.n
	}
	if off+int64(len(p)) > 5 {
		return int(5 - off), io.EOF
	}
	return len(p), nil
}

// TestTags: tags are metadata. Metadata that uploads give is no tag, and a removal takes them along.
func TestTags(t *testing.T) {
	given := func(c *s3.Config) {
		c.Headers = []s3.Header{{Name: "X-Amz-Meta-Color", Value: "blue"}}
		c.Uploads.Random = []s3.RandomHeader{{Name: "X-Amz-Meta-Owner", Parts: []s3.RandomPart{{Length: 5}}}}
	}
	for _, change := range []func(*s3.Config){nil, given} {
		eachProject(t, gcsjson.Options{}, change, func(t *testing.T, p *project) {
			before := p.mustPut(t, "hello").VersionID
			put := func(name string, value uint64) {
				t.Helper()
				c := &s3.Call{Key: key}
				if err := ops.PutTag(t.Context(), p, c, nil, name, value); err != nil || c.VersionID != before {
					t.Fatal(err, c.VersionID)
				}
			}
			tags := func(want map[string]string) {
				t.Helper()
				var doc ops.Document
				err := ops.GetTags(t.Context(), p, &s3.Call{Key: key, Version: before}, &doc)
				name, value, n := doc.Tags()
				if err != nil || n != len(want) || n == 1 && want[string(name)] != string(value) {
					t.Errorf("%d tags, first %s=%s, %v; want %q", n, name, value, err, want)
				}
				if all, err := ops.ReadTags(t.Context(), p, &s3.Call{Key: key}); err != nil || !maps.Equal(all, want) {
					t.Errorf("read %q, %v; want %q", all, err, want)
				}
			}
			tags(nil)
			put("turn", 7)
			put("turn", 8)
			tags(map[string]string{"turn": "8"})
			put(`a "<&>é`, 9)
			tags(map[string]string{"turn": "8", `a "<&>é`: "9"})
			if got, err := p.get(t, s3.Call{Size: 5}); got != "hello" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if err := ops.DeleteTags(t.Context(), p, &s3.Call{Key: key}); err != nil {
				t.Fatal(err)
			}
			tags(nil)
			for name, err := range map[string]error{
				"put":    ops.PutTag(t.Context(), p, &s3.Call{Key: "gone"}, nil, "turn", 1),
				"delete": ops.DeleteTags(t.Context(), p, &s3.Call{Key: "gone"}),
				"get":    ops.GetTags(t.Context(), p, &s3.Call{Key: "gone"}, &ops.Document{}),
			} {
				if !s3.IsNotFound(err) {
					t.Errorf("%s: of what is not there: %v", name, err)
				}
			}
		})
	}
}

func TestBuckets(t *testing.T) {
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		ctx := t.Context()
		other := func() *s3.Call { return &s3.Call{Other: "other"} }
		if err := ops.HeadBucket(ctx, p, other()); !s3.NoBucket(err) {
			t.Errorf("one that is not there: %v", err)
		}
		if err := ops.CreateBucket(ctx, p, other(), "", false); err != nil {
			t.Error(err)
		}
		if err := ops.CreateBucket(ctx, p, other(), "", false); !s3.AsError(err).Says(s3.Exists) {
			t.Errorf("once more: %v", err)
		}
		if err := ops.HeadBucket(ctx, p, other()); err != nil {
			t.Error(err)
		}
		if err := ops.RemoveBucket(ctx, p, other()); err != nil {
			t.Error(err)
		}
		p.mustPut(t, "x")
		if err := ops.RemoveBucket(ctx, p, &s3.Call{}); status(err) != 409 {
			t.Errorf("one that holds something: %v", err)
		}
	})
}

// TestTokens: a wrong token is refused, and so is a request without one.
func TestTokens(t *testing.T) {
	for token, reason := range map[string]string{"": "401 required", "old": "401 authError"} {
		eachProject(t, gcsjson.Options{}, func(c *s3.Config) {
			if c.SessionToken = s3.Secret(token); token == "" {
				c.Bearer, c.Signature = false, "anonymous"
			}
		}, func(t *testing.T, p *project) {
			if _, err := p.put(t, "x", s3.Conditions{}); s3.AsError(err).Class != reason {
				t.Errorf("token %q: %v", token, err)
			}
		})
	}
}

func TestNameLimit(t *testing.T) {
	eachProject(t, gcsjson.Options{NameLimit: time.Hour}, nil, func(t *testing.T, p *project) {
		p.mustPut(t, "x")
		_, err := p.put(t, "y", s3.Conditions{})
		for what, err := range map[string]error{
			"put": err, "tag": ops.PutTag(t.Context(), p, &s3.Call{Key: key}, nil, "turn", 1), "untag": ops.DeleteTags(t.Context(), p, &s3.Call{Key: key}),
		} {
			if e := s3.AsError(err); e.Class != "429 rateLimitExceeded" || !strings.Contains(e.Message, "a limit for each name") || !e.Says(s3.Later) {
				t.Errorf("%s: got %v", what, err)
			}
		}
	})
}
