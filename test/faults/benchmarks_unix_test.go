//go:build unix

package faults

import (
	"flag"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench/work"
	"warp/pkg/op"
)

// TestBenchmarksLeaveTheBucketAsItWas ends each benchmark in its middle: by Ctrl-C, after which it cleans up, or killed, after
// which "warp clean" does. Objects, versions, uploads and tags of others are then as they were, and nothing else is there.
func TestBenchmarksLeaveTheBucketAsItWas(t *testing.T) {
	t.Parallel()
	for _, info := range work.Registry() {
		for _, end := range []struct {
			name      string
			versioned bool
			end       func(t *testing.T, p *process, env []string, server *others)
		}{
			{"interrupted", true, interrupted},
			{"killed", false, killed},
			{"killed, versioned", true, killed},
		} {
			if info.Default().Traits().Versions > 0 && !end.versioned {
				continue // it is refused
			}
			t.Run(info.Name+" "+end.name, func(t *testing.T) {
				t.Parallel()
				others := newOthers(t, end.versioned)
				before := others.state()
				env := []string{"WARP_HOST=" + others.Host(), "WARP_ACCESS_KEY=access", "WARP_SECRET_KEY=secret"}
				p := start(t, "warp", t.TempDir(), env, nil, benchmark(info)...)
				p.says("^Benchmarking .*: started")
				until(t, "there are operations", func() bool { return others.requests(info) > 20 })
				end.end(t, p, env, others)
				if after := others.state(); after != before {
					t.Errorf("the bucket was\n%s\nand is\n%s", before, after)
				}
			})
		}
	}
}

// benchmark is the command line of a small benchmark without end.
func benchmark(info work.Info) []string {
	args := []string{info.Name, "--bucket=" + bucket, "--duration=1h", "--concurrent=2", "--benchdata=run"}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	info.New().Flags(fs)
	switch {
	case info.Name == "delete":
		args = append(args, "--objects=1500", "--batch=1")
	case fs.Lookup("objects") != nil && info.Name != "put":
		args = append(args, "--objects=40")
	}
	if info.Name == "multipart-put" || info.Name == "multipart" {
		return append(args, "--part.size=5MiB", "--obj.size=5121KiB")
	}
	return append(args, "--obj.size=1KiB")
}

func interrupted(t *testing.T, p *process, _ []string, _ *others) {
	t.Helper()
	p.send(syscall.SIGINT)
	p.ends(130)
}

func killed(t *testing.T, p *process, env []string, server *others) {
	t.Helper()
	p.kill()
	// What it had sent may not have been read: such an object comes to be after any clean-up.
	until(t, "the server has done all that was sent to it", func() bool {
		http.DefaultClient.CloseIdleConnections() // of this test
		return server.Connections() == 0
	})
	start(t, "warp clean", p.cmd.Dir, env, nil, "clean", "run.csv.zst").ends(0)
}

// others is a server whose bucket holds what others put there.
type others struct {
	*responder.Server
	t *testing.T
}

func newOthers(t *testing.T, versioned bool) *others {
	t.Helper()
	s, err := responder.New(responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.Delete {
			return responder.Fault{Delay: 10 * time.Millisecond} // objects to delete last until the end
		}
		return responder.Fault{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o := &others{s, t}
	o.make(versioned)
	for _, content := range []string{"one", "two"} {
		o.send("PUT", "/letter.txt", content)
		o.send("PUT", "/deep/0.aaaaaaaaaaaaaaaa.rnd", content)
	}
	o.send("PUT", "/gone.txt", "gone")
	o.send("DELETE", "/gone.txt", "")
	o.send("PUT", "/letter.txt?tagging", "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>")
	if versioned {
		o.send("PUT", "/letter.txt?retention", "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2100-01-02T03:04:05Z</RetainUntilDate></Retention>")
		o.send("PUT", "/deep/0.aaaaaaaaaaaaaaaa.rnd?legal-hold", "<LegalHold><Status>ON</Status></LegalHold>")
	}
	o.send("POST", "/letter.txt?uploads", "")
	o.send("POST", "/deep/upload.rnd?uploads", "")
	return o
}

// make makes the bucket; with versions, they can be locked too.
func (o *others) make(versioned bool) {
	o.t.Helper()
	req, err := http.NewRequest(http.MethodPut, o.URL()+"/"+bucket, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	if versioned {
		req.Header.Set("X-Amz-Bucket-Object-Lock-Enabled", "true")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	resp.Body.Close()
}

// send sends a request about the bucket or an object in it.
func (o *others) send(method, path, body string) string {
	o.t.Helper()
	req, err := http.NewRequest(method, o.URL()+"/"+bucket+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		o.t.Fatalf("%s %s: status %d, %v: %s", method, path, resp.StatusCode, err, text)
	}
	return string(text)
}

// state is all that the bucket holds.
func (o *others) state() string {
	o.t.Helper()
	var all strings.Builder
	for _, path := range []string{"?list-type=2", "?versions", "?uploads", "/letter.txt?tagging", "/letter.txt", "/deep/0.aaaaaaaaaaaaaaaa.rnd", "/letter.txt?retention", "/deep/0.aaaaaaaaaaaaaaaa.rnd?legal-hold"} {
		all.WriteString(o.send("GET", path, "") + "\n")
	}
	return all.String()
}

// requests is how many requests of the kinds of a benchmark were served.
func (o *others) requests(info work.Info) (n uint64) {
	for _, k := range info.Default().Traits().Kinds {
		switch k {
		case op.HeadBucket, op.CreateBucket, op.DeleteBucket:
			k = responder.Bucket
		}
		n += o.Requests(k)
	}
	return n
}
