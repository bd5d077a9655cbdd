package doctor_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/doctor"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// victim is the variable that makes the test program examine a host, until it is killed.
const victim = "WARP_TEST_EXAMINE"

// examineAsVictim examines the host, until the process is killed.
func examineAsVictim() {
	cfg := config(os.Getenv(victim))
	cfg.Timeout = time.Hour
	_, _ = doctor.Examine(context.Background(), cfg, doctor.Options{})
}

// TestKilled: what an examination leaves that is killed is removed by a later one, but not while it may be under way. Objects of
// others stay.
func TestKilled(t *testing.T) {
	for _, at := range []int64{12, 50, 120} {
		r := serve(t, responder.Options{Versions: responder.VersionsSuspended})
		put(t, r, "warp-doctor-of-somebody-else/a", "warp-doctor-20010203t040506", "theirs")
		foreign := len(r.Keys("bucket"))
		var n atomic.Int64
		stuck, release := make(chan struct{}), make(chan struct{})
		host := before(t, r, func(http.ResponseWriter, *http.Request) bool {
			if n.Add(1) == at {
				close(stuck)
				<-release
			}
			return false
		})
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), victim+"="+host)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		<-stuck
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it says that it was killed
		close(release)
		left := len(r.Keys("bucket")) - foreign + len(r.Uploads("bucket"))
		if left == 0 {
			t.Fatalf("request %d: a check that was killed has left nothing", at)
		}

		got := examine(t.Context(), t, config(host))
		if there := len(r.Keys("bucket")) - foreign + len(r.Uploads("bucket")); !got.OK() || got.Leftovers != 0 || there < left {
			t.Errorf("request %d: %d of %d are left of a check that may be under way; %d were removed; problems %q", at, there, left, got.Leftovers, got.Problems)
		}
		wantOne(t, "warnings", saying(got.Warnings, "another check"), "below \"warp-doctor-")

		doctor.LeftAfter(t, 0)
		got = examine(t.Context(), t, config(host))
		if there := len(r.Keys("bucket")); !got.OK() || got.Leftovers == 0 || there != foreign || len(r.Uploads("bucket")) > 0 {
			t.Errorf("request %d: %q are left, uploads %q; %d were removed; problems %q", at, r.Keys("bucket"), r.Uploads("bucket"), got.Leftovers, got.Problems)
		}
		doctor.LeftAfter(t, time.Hour)
	}
}

// saying returns the texts that say something.
func saying(texts []string, what string) (list []string) {
	for _, text := range texts {
		if strings.Contains(text, what) {
			list = append(list, text)
		}
	}
	return list
}

// put puts objects into the bucket of a responder.
func put(t *testing.T, r *responder.Server, keys ...string) {
	t.Helper()
	st, err := connect.New(config(r.Host()))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, key := range keys {
		if err := ops.Put(t.Context(), st.Session(0), &s3.Call{Key: key, Body: strings.NewReader("text"), Size: 4}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostsDiffer: what is not the same through another host is named, and that host has a table of it.
func TestHostsDiffer(t *testing.T) {
	r := serve(t, responder.Options{})
	other := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		if about(req, "GET", "acl") {
			return refuse(w, 501, "NotImplemented")
		}
		return about(req, "GET", "partNumber") && refuse(w, 403, "AccessDenied")
	})
	got := examine(t.Context(), t, config(r.Host(), other, r.Host()))
	if !got.OK() || len(got.Hosts[0].Differs)+len(got.Hosts[2].Differs) > 0 {
		t.Fatalf("%q; %+v, %+v", got.Problems, got.Hosts[0].Differs, got.Hosts[2].Differs)
	}
	list := got.Hosts[1].Differs
	if len(list) != 2 || list[0].Name != "get by part number" || list[0].Result != finding.Denied || list[1].Name != "acl" || list[1].Result != finding.No {
		t.Errorf("%+v", list)
	}
	wantOne(t, "warnings", saying(got.Warnings, "differs"), "http://"+other+": it differs from the first host: get by part number (denied), acl (no)")
	wantEmpty(t, r)
}
