package probe_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/probe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object makes an object of a probe in a bucket of its own, with what all rows need.
func object(t *testing.T, cfg s3.Config, features ...preflight.Feature) *probe.Object {
	t.Helper()
	cfg.AccessKey, cfg.SecretKey = "a", "s"
	store := s3test.Open(t, cfg)
	if _, err := preflight.Open(store).Ensure(t.Context(), features...); err != nil {
		t.Fatal(err)
	}
	o := &probe.Object{S3: preflight.WithDiagnosis(store.Session(0), *store.Config()), Key: "probe", Bucket: cfg.Bucket}
	if err := o.Put(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o
}

// A server that can do it has no error (the one here does not list metadata); one that ignores conditions has their errors. Nothing but the object stays in a bucket without versions.
func TestCapabilities(t *testing.T) {
	for _, engine := range []string{"lean", "std"} {
		for _, how := range []responder.Conditions{responder.ConditionsHonoured, responder.ConditionsIgnored} {
			r := s3test.Serve(t, responder.Options{Keep: true, Conditions: how})
			for _, c := range probe.All() {
				var features []preflight.Feature
				bucket := "bucket"
				if c == probe.Versions || c == probe.ListVersions || c == probe.Retention || c == probe.LegalHold {
					bucket, features = "locked", []preflight.Feature{preflight.Lock}
				}
				o := object(t, s3.Config{Hosts: []string{r.Host()}, Bucket: bucket, Engine: engine}, features...)
				o.TwoPart = c == probe.PartNumber || c == probe.CopyPart
				if o.TwoPart {
					if err := probe.Parts.Try(t.Context(), o); err != nil {
						t.Fatal(err)
					}
				}
				if lacking := o.S3.Dialect().Lacks(c.Verb()) != ""; lacking {
					continue
				}
				err := c.Try(t.Context(), o)
				var ignored *probe.Ignored
				if is := errors.As(err, &ignored); is != (c == probe.ListMetadata || how == responder.ConditionsIgnored && strings.HasPrefix(c.Name, "conditional")) || err != nil && !is {
					t.Errorf("%s, %s: %v", engine, c.Name, err)
				}
				if o.TwoPart {
					var err error
					if o.Remove(t.Context(), ops.ObjectID{Key: o.Key + ".parts"}, &err); err != nil {
						t.Error(err)
					}
				}
				left := slices.DeleteFunc(r.Keys("bucket"), func(key string) bool { return key == o.Key })
				if len(left) > 0 || len(r.Uploads("bucket")) > 0 {
					t.Errorf("%s, %s: left: %q", engine, c.Name, left)
				}
			}
		}
	}
}

// What cannot be aborted is named, also for who removes it later.
func TestUnfinished(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.PutPart || k == op.AbortUpload {
			return responder.Fault{Status: http.StatusNotImplemented}
		}
		return responder.Fault{}
	}})
	o := object(t, s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket"})
	err := probe.Parts.Try(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), `an unfinished upload of "probe.parts" may stay in the bucket`) || len(o.Unfinished) != 1 || o.Unfinished[0].Key != "probe.parts" {
		t.Errorf("%v, %+v", err, o.Unfinished)
	}
}

// Each condition of a kind of requests has one row.
func TestCondition(t *testing.T) {
	for _, kind := range []op.Kind{op.Get, op.Stat, op.Put} {
		if a, b := probe.Condition(kind, true), probe.Condition(kind, false); a == nil || b == nil || a == b {
			t.Errorf("%s: %v, %v", kind, a, b)
		}
	}
	if probe.Condition(op.Delete, true) != probe.DeleteIfMatch || probe.Condition(op.Delete, false) != nil || probe.Condition("", false) != nil {
		t.Error("conditions that no request has have rows")
	}
}
