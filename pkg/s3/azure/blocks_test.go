package azure_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	play "warp/internal/responder/azure"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// upload uploads some blocks.
func (s *store) upload(key string, numbers ...int) (parts []ops.Part) {
	s.t.Helper()
	for _, n := range numbers {
		part, err := ops.PutPart(s.t.Context(), s.Session, s3test.PutCall(key, fmt.Sprint("block ", n, "\n")), "blocks", n)
		if err != nil {
			s.t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts
}

// TestBlocks: what is uploaded in blocks is there once they are committed; aborting leaves nothing, and takes nothing away.
func TestBlocks(t *testing.T) {
	eachStore(t, play.Options{}, nil, func(t *testing.T, s *store) {
		abort := func(key string) error { return ops.AbortUpload(t.Context(), s.Session, &s3.Call{Key: key}, "blocks") }
		parts := s.upload("k", 10, 9, 11)
		if got := s.keys(ops.Listing{}); len(got) > 0 {
			t.Errorf("listed before the end: %q", got)
		}
		if got := s.keys(ops.Listing{Uploads: true}); !slices.Equal(got, []string{"k"}) {
			t.Errorf("unfinished: %q", got)
		}
		slices.SortFunc(parts, func(a, b ops.Part) int { return a.Number - b.Number })
		if err := ops.CompleteUpload(t.Context(), s.Session, &s3.Call{Key: "k"}, "blocks", parts); err != nil {
			t.Fatal(err)
		}
		s.check("k", "block 9\nblock 10\nblock 11\n")
		missing := append(slices.Clone(parts), ops.Part{Number: 12})
		if err := ops.CompleteUpload(t.Context(), s.Session, &s3.Call{Key: "k"}, "blocks", missing); s3test.Class(err) != "400 InvalidBlockList" {
			t.Errorf("a block that is missing: %v", err)
		}
		s.upload("aborted", 1, 2)
		s.upload("k", 1)
		for _, key := range []string{"aborted", "k", "never begun"} {
			if err := abort(key); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		s.check("k", "block 9\nblock 10\nblock 11\n")
		if got := s.keys(ops.Listing{}); !slices.Equal(got, []string{"k"}) {
			t.Errorf("left: %q", got)
		}
		s.foreign("PUT", "theirs", "comp=block&blockid=YQ%3D%3D", "x")
		_, err := ops.PutPart(t.Context(), s.Session, s3test.PutCall("theirs", "x"), "blocks", 1)
		if s3test.Class(err) != "400 InvalidBlobOrBlock" {
			t.Errorf("a block among others of another length: %v", err)
		}
		if got := s.Uploads("box"); !slices.Contains(got, "theirs 1") {
			t.Errorf("unfinished: %q", got)
		}
	})
}

// TestAbortAgain: a store aborts an upload and closes the connection instead of saying so. The requests are sent again, and leave nothing.
func TestAbortAgain(t *testing.T) {
	for _, o := range []play.Options{{}, {Versions: true}} {
		for _, kind := range []op.Kind{op.CompleteUpload, op.Delete} {
			var lost atomic.Bool
			rule := func(k op.Kind, _ uint64) responder.Fault {
				lose := k == kind && lost.CompareAndSwap(false, true)
				return responder.Fault{Close: lose, Execute: lose}
			}
			eachRuled(t, o, rule, nil, func(t *testing.T, s *store) {
				lost.Store(false)
				s.upload("k", 1)
				if err := ops.AbortUpload(t.Context(), s.Session, &s3.Call{Key: "k"}, "blocks"); err != nil || !lost.Load() {
					t.Errorf("%v, a response was lost: %v", err, lost.Load())
				}
				if left := s.Holds("box"); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			})
		}
	}
}
