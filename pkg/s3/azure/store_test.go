package azure_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"warp/internal/responder"
	play "warp/internal/responder/azure"
	"warp/internal/responder/stores"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// store is a store that the responder plays, and a session with it.
type store struct {
	s3.Session
	*play.Store
	t    *testing.T
	host string
}

// proofs are the ways to prove that requests may be performed.
var proofs = map[string]func(*s3.Config){
	"key": func(*s3.Config) {},
	"SAS of an account": func(c *s3.Config) {
		c.AccessKey, c.SecretKey, c.SessionToken = "", "", s3.Secret(play.AccountSAS("rwdxlact"))
	},
	"SAS of a container": func(c *s3.Config) {
		c.AccessKey, c.SecretKey, c.SessionToken = "", "", s3.Secret("?"+play.ContainerSAS("box", "rwdxlact"))
	},
}

// eachStore runs a test with a session of each engine, with a container.
func eachStore(t *testing.T, o play.Options, change func(*s3.Config), test func(t *testing.T, s *store)) {
	eachRuled(t, o, nil, change, test)
}

// eachRuled is eachStore with faults.
func eachRuled(t *testing.T, o play.Options, rule responder.Rule, change func(*s3.Config), test func(t *testing.T, s *store)) {
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		s := &store{Store: play.New(o), t: t}
		r := s3test.Serve(t, responder.Options{Keep: true, Dialect: s.Store, Rule: rule})
		s.Create("box")
		cfg := stores.Azure()
		cfg.Hosts, cfg.Bucket = []string{r.Host()}, "box"
		if change != nil {
			change(&cfg)
		}
		if cfg.AccessKey == "" {
			cfg.Signature = "S3V4" // so that no keys are made up
		}
		s.Session, s.host = open(t, cfg).Session(0), r.URL()
		test(t, s)
	})
}

func (s *store) put(key, text string) {
	s.t.Helper()
	if err := ops.Put(s.t.Context(), s.Session, s3test.PutCall(key, text)); err != nil {
		s.t.Fatal(err)
	}
}

// check compares the contents of a blob.
func (s *store) check(key, want string) {
	s.t.Helper()
	var got bytes.Buffer
	if err := ops.Get(s.t.Context(), s.Session, &s3.Call{Key: key, Size: int64(len(want)), Into: &got}); err != nil || got.String() != want {
		s.t.Errorf("%s: %q, %v, want %q", key, got.String(), err, want)
	}
}

// keys are the keys of a listing, all pages.
func (s *store) keys(l ops.Listing) (keys []string) {
	s.t.Helper()
	for {
		if err := ops.List(s.t.Context(), s.Session, &s3.Call{}, &l); err != nil {
			s.t.Fatal(err)
		}
		for _, e := range l.Entries {
			keys = append(keys, e.Key)
		}
		if l.Token = l.Next; l.Next == "" {
			return keys
		}
	}
}

// foreign does what somebody else does to the account.
func (s *store) foreign(method, key, query, body string, header ...string) {
	s.t.Helper()
	if err := play.Ask(s.host, method, "box/"+key, query, body, header...); err != nil {
		s.t.Fatal(err)
	}
}

// TestStore performs all operations on a store that keeps them, with each way to prove that they are permitted.
func TestStore(t *testing.T) {
	for name, change := range proofs {
		t.Run(name, func(t *testing.T) {
			eachStore(t, play.Options{}, change, func(t *testing.T, s *store) {
				ctx := t.Context()
				for _, key := range append(s3test.EscapedKeys, "a\x01b") {
					s.put(key, "content of "+key)
					s.check(key, "content of "+key)
					if err := ops.Delete(ctx, s.Session, &s3.Call{Key: key, Size: -1}); err != nil {
						t.Errorf("delete %q: %v", key, err)
					}
				}
				s.put("empty", "")
				s.check("empty", "")
				s.put("a b", "0123456789")
				var got bytes.Buffer
				c := &s3.Call{Key: "a b", Offset: 2, Length: 4, Size: 10, Into: &got}
				if err := ops.Get(ctx, s.Session, c); err != nil || got.String() != "2345" {
					t.Errorf("range: %q, %v", got.String(), err)
				}
				for _, size := range []int64{0, 10} { // after the response, and before it
					key := fmt.Sprint("copy ", size)
					if err := ops.Copy(ctx, s.Session, &s3.Call{Key: key, Size: size}, "box/a%20b"); err != nil {
						t.Errorf("copy of %d: %v", size, err)
					}
					s.check(key, "0123456789")
				}
				for at, text := range map[int64]string{0: "hello"} {
					c := s3test.PutCall("log", text)
					if err := ops.Append(ctx, s.Session, c, at); err != nil {
						t.Error(err)
					}
				}
				if err := ops.Append(ctx, s.Session, s3test.PutCall("log", " you"), 5); err != nil {
					t.Error(err)
				}
				s.check("log", "hello you")
				var doc ops.Document
				if err := ops.PutTag(ctx, s.Session, &s3.Call{Key: "log"}, &doc, "k&", 7); err != nil {
					t.Error(err)
				}
				if tags, err := ops.ReadTags(ctx, s.Session, &s3.Call{Key: "log"}); err != nil || tags["k&"] != "7" {
					t.Error(tags, err)
				}
				want := []string{"a b", "copy 0", "copy 10", "empty", "log"}
				if got := s.keys(ops.Listing{MaxKeys: 2}); !slices.Equal(got, want) {
					t.Errorf("listed %q, want %q", got, want)
				}
				d := ops.Deletion{Objects: []ops.ObjectID{{Key: "a b"}, {Key: "none"}, {Key: "log"}}}
				err := ops.DeleteMany(ctx, s.Session, &s3.Call{}, &d)
				if len(d.Failed) != 1 || d.Failed[0].Key != "none" || !s3.IsNotFound(d.Failed[0].Err) {
					t.Errorf("deleted: %v, %+v", err, d.Failed)
				}
				if got := s.keys(ops.Listing{}); !slices.Equal(got, []string{"copy 0", "copy 10", "empty"}) {
					t.Errorf("left: %q", got)
				}
			})
		})
	}
}

// TestConditions: what is there is a conflict if it must not be, and has to be what is expected.
func TestConditions(t *testing.T) {
	eachStore(t, play.Options{}, nil, func(t *testing.T, s *store) {
		put := func(text string, c s3.Conditions) error {
			call := s3test.PutCall("k", text)
			call.If, call.WantETag = c, true
			return ops.Put(t.Context(), s.Session, call)
		}
		for _, tc := range []struct {
			conditions s3.Conditions
			class      string
		}{
			{s3.Conditions{Match: "*"}, "412 ConditionNotMet"},
			{s3.Conditions{NoneMatch: "*"}, ""},
			{s3.Conditions{NoneMatch: "*"}, "409 BlobAlreadyExists"},
			{s3.Conditions{Match: `"0x0"`}, "412 ConditionNotMet"},
			{s3.Conditions{Match: "*"}, ""},
		} {
			if err := put("text", tc.conditions); s3test.Class(err) != tc.class {
				t.Errorf("%+v: %v, want %q", tc.conditions, err, tc.class)
			}
		}
		c := &s3.Call{Key: "k", Size: -1, WantETag: true}
		if err := ops.Stat(t.Context(), s.Session, c); err != nil || c.ETag == "" {
			t.Fatal(c.ETag, err)
		}
		l := ops.Listing{ETags: true}
		if err := ops.List(t.Context(), s.Session, &s3.Call{}, &l); err != nil || l.Entries[0].ETag != c.ETag {
			t.Errorf("ETag %s, in the listing %s, %v", c.ETag, l.Entries[0].ETag, err)
		}
		if err := put("new", s3.Conditions{Match: c.ETag}); err != nil {
			t.Error(err)
		}
		again := &s3.Call{Key: "k", Size: -1, If: s3.Conditions{Match: c.ETag}}
		if err := ops.Get(t.Context(), s.Session, again); s3test.Class(err) != "412 ConditionNotMet" {
			t.Errorf("get of another: %v", err)
		}
	})
}

// TestSlowCopies: a copy that is not done with the response is waited for, and is one call.
func TestSlowCopies(t *testing.T) {
	eachStore(t, play.Options{Pending: 2}, nil, func(t *testing.T, s *store) {
		s.put("a", "text")
		c := &s3.Call{Key: "b"}
		if err := ops.Copy(t.Context(), s.Session, c, "box/a"); err != nil || c.Requests != 4 {
			t.Errorf("%d requests, %v, want 4: a copy and three looks at it", c.Requests, err)
		}
		if c := (&s3.Call{Key: "b", Length: 2, Offset: 1, Size: 4}); true {
			if _, err := ops.CopyPart(t.Context(), s.Session, c, &ops.Document{}, "box/a", "blocks", 1); err != nil {
				t.Error(err)
			}
		}
		if err := ops.CompleteUpload(t.Context(), s.Session, &s3.Call{Key: "b"}, "blocks", []ops.Part{{Number: 1}}); err != nil {
			t.Fatal(err)
		}
		s.check("b", "ex")
	})
}

// TestListings: pages may be empty, names escaped, and directories are none of the objects.
func TestListings(t *testing.T) {
	for name, o := range map[string]play.Options{"plain": {}, "empty pages": {EmptyPages: true}, "directories": {Directories: true, EmptyPages: true}} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, o, nil, func(t *testing.T, s *store) {
				keys := []string{"p/a", "p/b\x02", "p/d/e/f", "p/d/g", "p/h&", "q"}
				for _, key := range keys {
					s.put(key, "")
				}
				for _, tc := range []struct {
					l    ops.Listing
					want []string
				}{
					{ops.Listing{}, keys},
					{ops.Listing{MaxKeys: 1}, keys},
					{ops.Listing{Prefix: "p/", MaxKeys: 2}, keys[:5]},
					{ops.Listing{Prefix: "p/", Flat: true, MaxKeys: 1}, []string{"p/a", "p/b\x02", "p/h&"}},
					{ops.Listing{Uploads: true}, nil},
					{ops.Listing{Prefix: "none"}, nil},
					{ops.Listing{Prefix: "p/", Metadata: true}, keys[:5]},
				} {
					if got := s.keys(tc.l); !slices.Equal(got, tc.want) {
						t.Errorf("%+v: listed %q, want %q", tc.l, got, tc.want)
					}
				}
			})
		})
	}
}

// TestRemoveContainer: a container goes only if it holds nothing of anybody, though the service would delete all of it.
func TestRemoveContainer(t *testing.T) {
	type does = func(*store)
	for name, tc := range map[string]struct {
		o  play.Options
		do does
	}{
		"blob":   {play.Options{}, func(s *store) { s.foreign("PUT", "a", "", "x", "X-Ms-Blob-Type", "BlockBlob") }},
		"blocks": {play.Options{}, func(s *store) { s.foreign("PUT", "a", "comp=block&blockid=YQ%3D%3D", "x") }},
		"directory": {play.Options{Directories: true}, func(s *store) {
			s.foreign("PUT", "d/a", "", "x", "X-Ms-Blob-Type", "BlockBlob")
			s.foreign("DELETE", "d/a", "", "")
		}},
		"old version": {play.Options{Versions: true}, func(s *store) {
			s.foreign("PUT", "a", "", "x", "X-Ms-Blob-Type", "BlockBlob")
			s.foreign("DELETE", "a", "", "")
		}},
		"old version, behind empty pages": {play.Options{Versions: true, EmptyPages: true}, func(s *store) {
			s.foreign("PUT", "a", "", "x", "X-Ms-Blob-Type", "BlockBlob")
			s.foreign("DELETE", "a", "", "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, tc.o, nil, func(t *testing.T, s *store) {
				tc.do(s)
				before := s.Holds("box")
				err := ops.RemoveBucket(t.Context(), s.Session, &s3.Call{})
				if s3test.Class(err) != "409 ContainerNotEmpty" || len(before) == 0 || !slices.Equal(s.Holds("box"), before) {
					t.Errorf("%v, was %q, is %q", err, before, s.Holds("box"))
				}
			})
		})
	}
	eachStore(t, play.Options{EmptyPages: true, BeingDeleted: 1}, nil, func(t *testing.T, s *store) {
		create := func() error { return ops.CreateBucket(t.Context(), s.Session, &s3.Call{}, "", false) }
		if err := ops.RemoveBucket(t.Context(), s.Session, &s3.Call{}); err != nil {
			t.Error(err)
		}
		if err := create(); s3test.Class(err) != "409 ContainerBeingDeleted" || !s3.Temporary(err) {
			t.Error(err)
		}
		if err := create(); err != nil {
			t.Error(err)
		}
		if err := create(); s3test.Class(err) != "409 ContainerAlreadyExists" {
			t.Error(err)
		}
	})
}

// TestRefusals: keys and tokens that are not good for a request.
func TestRefusals(t *testing.T) {
	sas := func(token string) func(*s3.Config) {
		return func(c *s3.Config) { c.AccessKey, c.SecretKey, c.SessionToken = "", "", s3.Secret(token) }
	}
	for name, tc := range map[string]struct {
		change func(*s3.Config)
		class  string
	}{
		"wrong key":         {func(c *s3.Config) { c.SecretKey = "a2V5" }, "403 AuthenticationFailed"},
		"token without put": {sas(play.ContainerSAS("box", "rl")), "403 AuthorizationPermissionMismatch"},
		"other container":   {sas(play.ContainerSAS("other", "rcwdl")), "403 AuthenticationFailed"},
		"anonymous":         {func(c *s3.Config) { c.Signature = "anonymous" }, "401 NoAuthenticationInformation"},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, play.Options{}, tc.change, func(t *testing.T, s *store) {
				err := ops.Put(context.Background(), s.Session, s3test.PutCall("k", "x"))
				if s3test.Class(err) != tc.class || len(s.Holds("box")) > 0 {
					t.Errorf("%v, want %s; holds %q", err, tc.class, s.Holds("box"))
				}
			})
		})
	}
}
