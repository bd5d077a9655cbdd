package metrics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// run is a run of warp.
type run struct {
	dir    string
	cmd    *exec.Cmd
	url    *url.URL // where it serves
	stderr *lines
	stdout bytes.Buffer
}

// lines is what a process prints.
type lines struct {
	mu   sync.Mutex
	text string
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text += string(text)
	return len(text), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// prepare returns a run of WARP, the binary under test, that has not started.
func prepare(t *testing.T, args ...string) *run {
	t.Helper()
	warp := os.Getenv("WARP")
	if warp == "" {
		t.Skip("WARP names no binary: use run.sh")
	}
	r := &run{dir: t.TempDir(), stderr: &lines{}}
	r.cmd = exec.Command(warp, append(args, "--json", "--benchdata=run")...)
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = r.dir, &r.stdout, r.stderr
	return r
}

// finish starts a run and waits for its end.
func finish(t *testing.T, args ...string) *run {
	t.Helper()
	r := prepare(t, args...)
	if err := r.cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, r.stderr)
	}
	return r
}

// start starts a run that goes on serving, and waits until it serves.
func start(t *testing.T, args ...string) *run {
	t.Helper()
	r := prepare(t, append(args, "--http=127.0.0.1:0", "--http-linger=1h")...)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Signal(os.Interrupt)
		_ = r.cmd.Wait()
	})
	address := regexp.MustCompile(`Serving (http://\S+/) \(`)
	eventually(t, "the address", func() bool { return address.MatchString(r.stderr.String()) })
	var err error
	if r.url, err = url.Parse(address.FindStringSubmatch(r.stderr.String())[1]); err != nil {
		t.Fatal(err)
	}
	return r
}

// report returns the report of a run that is over.
func (r *run) report(t *testing.T) report {
	t.Helper()
	var rep report
	if err := json.Unmarshal(r.stdout.Bytes(), &rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

// recording is the path of its recording.
func (r *run) recording() string { return filepath.Join(r.dir, "run.csv.zst") }

// report is a part of the JSON report.
type report struct {
	Operations []operation `json:"operations"`
}

// operation is an entry of it, for one kind and phase.
type operation struct {
	Op       string `json:"op"`
	Phase    string `json:"phase"`
	Requests int64  `json:"requests"`
	Errors   int64  `json:"errors"`
}

// stage returns the value of the label of that name.
func (o operation) stage() string {
	if o.Phase == "prepare" {
		return "prepare"
	}
	return "benchmark"
}

// recorded is what a recording holds of a kind of operations.
type recorded struct {
	bytes   int64
	latency []float64 // seconds, of successful operations, in ascending order
	errors  map[string]int64
}

// read reads the recording of a run; phase and kind are its keys.
func read(t *testing.T, path string) map[string]*recorded {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	var columns []string
	all := make(map[string]*recorded)
	in := bufio.NewScanner(plain)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "#") || in.Text() == "" {
			continue
		}
		fields := strings.Split(in.Text(), "\t")
		if columns == nil {
			columns = fields
			continue
		}
		of := func(name string) string {
			if i := slices.Index(columns, name); i >= 0 {
				return fields[i]
			}
			return ""
		}
		key := of("phase") + " " + strings.TrimPrefix(of("op"), "PREPARE_")
		k := all[key]
		if k == nil {
			k = &recorded{errors: make(map[string]int64)}
			all[key] = k
		}
		if text := of("error"); text != "" {
			class, _, _ := strings.Cut(strings.Trim(text, `"`), ": ")
			k.errors[class]++
			continue
		}
		n, _ := strconv.ParseInt(of("bytes"), 10, 64)
		ns, err := strconv.ParseInt(of("duration_ns"), 10, 64)
		if err != nil {
			t.Fatalf("%v in %q of %q", err, in.Text(), columns)
		}
		k.bytes += n
		k.latency = append(k.latency, float64(ns)/1e9)
	}
	for _, k := range all {
		slices.Sort(k.latency)
	}
	return all
}
