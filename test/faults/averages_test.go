package faults

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
)

// averages is what a report says about one kind of operation.
type averages struct {
	Op         string  `json:"op"`
	Phase      string  `json:"phase"`
	Requests   int64   `json:"requests"`
	Considered int64   `json:"considered"` // those that start in the window
	Threads    int64   `json:"concurrency"`
	Clients    int     `json:"clients"`
	Duration   float64 `json:"duration_s"`
	Throughput struct {
		Bytes   float64 `json:"bytes_per_sec"`
		Objects float64 `json:"objects_per_sec"`
	} `json:"throughput"`
}

// off is how far two figures are apart, as a part of the second.
func off(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / math.Abs(b)
}

// TestAverages compares what a run by clients says with what warp says about the recordings that the clients kept, merged by
// warp merge: to the operation in counts, and within 0.5 % in averages. Besides, averages must agree with a plain
// division by the length of the window: more than the operations that start in it, without one for each thread that may end later, less than
// all operations.
func TestAverages(t *testing.T) {
	t.Parallel()
	s := &scene{t: t, store: startStore(t), token: tokenFile(t), dir: t.TempDir()}
	var clients []*client
	addrs := ""
	for range 3 {
		c := startClient(t, s.token, nil, "127.0.0.1:0")
		clients = append(clients, c)
		addrs += "," + c.addr
	}
	p := s.run("all", addrs[1:], "mixed", "--objects=50", "--duration=10s", "--json")
	p.ends(0)
	args := []string{"merge", "--json", "--benchdata=merged"}
	for _, c := range clients {
		files, _ := filepath.Glob(filepath.Join(c.dir, "*.csv.zst"))
		args = append(args, files...)
	}
	whole, own := read(t, p), read(t, s.analyze(args...))
	collected := read(t, s.analyze("analyze", "--json", "all.csv.zst"))
	if len(whole) < 5 || len(whole) != len(own) || len(whole) != len(collected) {
		t.Fatalf("%d kinds of operations in the run, %d in the merged recordings, %d in the collected one", len(whole), len(own), len(collected))
	}
	worst := 0.0
	for kind, w := range whole {
		for _, o := range []averages{own[kind], collected[kind]} {
			if o.Requests != w.Requests || o.Clients != 3 || w.Clients != 3 {
				t.Errorf("%s: %d requests by %d clients in the run, %d by %d in a recording", kind, w.Requests, w.Clients, o.Requests, o.Clients)
			}
			worst = max(worst, off(w.Throughput.Bytes, o.Throughput.Bytes), off(w.Throughput.Objects, o.Throughput.Objects))
		}
		least, most := float64(w.Considered-w.Threads)/w.Duration, float64(w.Requests)/w.Duration
		t.Logf("%s: %d requests, %.3f objects/s in the run, %.3f of the merged recordings, %.3f of the collected one, %.3f to %.3f by division", kind, w.Requests,
			w.Throughput.Objects, own[kind].Throughput.Objects, collected[kind].Throughput.Objects, least, most)
		if w.Phase == "" && (w.Throughput.Objects < least || w.Throughput.Objects > most) {
			t.Errorf("%s: an average of %v objects/s, but %v to %v by division", kind, w.Throughput.Objects, least, most)
		}
	}
	t.Logf("averages are at most %.4f %% apart", 100*worst)
	if worst > 0.005 {
		t.Errorf("averages are %v %% apart", 100*worst)
	}
}

// analyze runs warp on recordings.
func (s *scene) analyze(args ...string) *process {
	s.t.Helper()
	p := start(s.t, "warp", s.dir, nil, nil, args...)
	p.ends(0)
	return p
}

// read reads a report: averages by kind of operation. Which kind comes first is chance.
func read(t *testing.T, p *process) map[string]averages {
	t.Helper()
	var report struct {
		Operations []averages `json:"operations"`
	}
	if err := json.Unmarshal([]byte(p.out.String()), &report); err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]averages)
	for _, a := range report.Operations {
		kinds[a.Phase+a.Op] = a
	}
	return kinds
}
