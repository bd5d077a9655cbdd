package faults

import (
	"encoding/xml"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// store is the store that clients measure. Requests can be held up.
type store struct {
	*responder.Server
	t    *testing.T
	held atomic.Pointer[op.Kind] // nil: none are
	late atomic.Bool             // deletions are held up once there was a benchmark
	wait atomic.Int64            // requests that were held up
	free chan struct{}           // closed when they may go on
	let  func()
}

const bucket = "bench"

// firstPuts are uploads that are never held up: those with which clients try the store, and some more.
const firstPuts = 30

// firstGets are more downloads than clients try the store with.
const firstGets = 10

func startStore(t *testing.T) *store {
	t.Helper()
	s := &store{t: t, free: make(chan struct{})}
	s.let = sync.OnceFunc(func() { close(s.free) })
	var err error
	s.Server, err = responder.New(responder.Options{Buckets: []string{bucket}, Keep: true, Rule: s.rule})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.release()
		s.Close()
	})
	return s
}

// rule keeps operations slow enough for many runs at a time on a small machine.
func (s *store) rule(k op.Kind, n uint64) responder.Fault {
	if k == op.Get && n >= firstGets && s.late.CompareAndSwap(true, false) {
		s.holdUp(op.Delete)
	}
	if held := s.held.Load(); held != nil && *held == k && (k != op.Put || n >= firstPuts) {
		s.wait.Add(1)
		<-s.free
	}
	return responder.Fault{Delay: 10 * time.Millisecond}
}

// holdUpCleaning has the deletions of the clean-up wait, and not those with which clients try the store.
func (s *store) holdUpCleaning() { s.late.Store(true) }

// holdsUp waits until a request is held up.
func (s *store) holdsUp() {
	s.t.Helper()
	until(s.t, "requests are held up", func() bool { return s.wait.Load() > 0 })
}

// goesOn waits for more requests of a kind.
func (s *store) goesOn(k op.Kind, more uint64) {
	s.t.Helper()
	before := s.Requests(k)
	until(s.t, "it goes on", func() bool { return s.Requests(k) > before+more })
}

// holdUp has requests of a kind wait.
func (s *store) holdUp(k op.Kind) { s.held.Store(&k) }

// release lets go on what was held up, and holds up nothing any more.
func (s *store) release() {
	s.held.Store(nil)
	s.let()
}

// keys are the objects in the bucket.
func (s *store) keys() []string {
	s.t.Helper()
	answer, err := http.Get(s.URL() + "/" + bucket + "?list-type=2")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct {
		Contents []struct{ Key string }
	}
	if err := xml.NewDecoder(answer.Body).Decode(&list); err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("list the bucket: status %d, %v", answer.StatusCode, err)
	}
	var keys []string
	for _, c := range list.Contents {
		keys = append(keys, c.Key)
	}
	return keys
}

// recordings reads all recordings in a directory; what was killed may end with a warning, and with nothing else.
func recordings(t *testing.T, dir string, cut bool) (ops []op.Op) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := recording.NewReader(f, path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for r.Scan() {
			ops = append(ops, *r.Op())
		}
		if r.Err() != nil || r.Unreadable() > 0 || !cut && len(r.Warnings()) > 0 {
			t.Errorf("read %s: %v, %q", path, r.Err(), r.Warnings())
		}
	}
	return ops
}

// count is how many operations are of the benchmark.
func count(ops []op.Op) (n int) {
	for i := range ops {
		if ops[i].Phase != op.PhasePrepare {
			n++
		}
	}
	return n
}

// below reports whether a key begins with one of the prefixes that a text names.
func below(key, text string) bool {
	for _, m := range regexp.MustCompile(`"([^"\s]+)"`).FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "/") && strings.HasPrefix(key, m[1]) {
			return true
		}
	}
	return false
}
