// Command clientbench measures what warp itself costs: it runs the warp binary, recording on, against a server in another
// process that answers at once, and reads from the system how much CPU time that took. Beside it stand warp with the SDK
// engine, wrk (which signs and records nothing), and a bare writev of the same bytes.
//
//	go run ./test/clientbench -warp ./warp [-duration 5s] [-concurrent 20]
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
)

const (
	small = 4 << 10
	large = 10 << 20
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "clientbench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return child(args, out)
	}
	b := bench{out: out}
	fs := flag.NewFlagSet("clientbench", flag.ContinueOnError)
	fs.StringVar(&b.warp, "warp", "./warp", "the `binary` to measure")
	fs.DurationVar(&b.duration, "duration", 5*time.Second, "`time` for each measurement")
	fs.IntVar(&b.concurrent, "concurrent", 20, "`number` of connections")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "clientbench")
	if err != nil {
		return err
	}
	b.dir = dir
	return errors.Join(b.all(), os.RemoveAll(dir))
}

// bench is one run of all measurements.
type bench struct {
	out        io.Writer
	warp, dir  string
	duration   time.Duration
	concurrent int
	rows       []row
}

// row is one measurement.
type row struct {
	what   string // "GET 4 KiB"
	by     string // "lean", "sdk", "wrk", "writev"
	cpu    float64
	rate   float64
	allocs float64 // negative: not known
}

func (b *bench) all() error {
	for _, size := range []int{small, large} {
		if err := serving(size, responder.RawSmall, func(s *server) error { return b.against(s, size) }); err != nil {
			return err
		}
	}
	if err := serving(large, large, b.verified); err != nil {
		return err
	}
	b.print()
	return nil
}

// serving measures something against a server of its own.
func serving(size, keep int, measure func(*server) error) error {
	s, err := startServer(size, keep)
	if err != nil {
		return err
	}
	return errors.Join(measure(s), s.stop())
}

func (b *bench) against(s *server, size int) error {
	kinds := []string{"put", "get", "stat", "delete"}
	if size == large {
		kinds = kinds[:2]
	}
	for _, engine := range []string{"lean", "sdk"} {
		put := 0.0
		for _, kind := range kinds {
			r, err := b.measureWarp(s, engine, kind, "zero", size, put)
			if err != nil {
				return err
			}
			if kind == "put" {
				put = r.cpu
			}
			b.rows = append(b.rows, r)
		}
	}
	if size == large {
		r, err := b.measureWarp(s, "lean", "put", "random", size, 0)
		if err != nil {
			return err
		}
		r.what += " random"
		b.rows = append(b.rows, r)
		if r, err = b.measureWritev(s, size); err != nil {
			return err
		}
		b.rows = append(b.rows, r)
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		fmt.Fprintln(b.out, "wrk is not installed; it is left out")
		return nil
	}
	r, err := b.measureWrk(s, size)
	b.rows = append(b.rows, r)
	return err
}

// verified measures downloads of which every byte is compared with what was uploaded.
func (b *bench) verified(s *server) error {
	r, err := b.measureWarp(s, "lean", "get", "random", large, b.cpu("PUT 10 MiB random", "lean"), "--verify")
	r.what += " --verify"
	b.rows = append(b.rows, r)
	return err
}

// measureWarp runs warp. What the uploads of its preparation cost (put microseconds each) is taken off.
func (b *bench) measureWarp(s *server, engine, kind, contents string, size int, put float64, more ...string) (row, error) {
	args := []string{
		kind, "--host=" + s.host, "--engine=" + engine, "--access-key=AK", "--secret-key=SK", "--obj.generator=" + contents,
		fmt.Sprintf("--obj.size=%d", size), fmt.Sprintf("--concurrent=%d", b.concurrent), "--duration=" + b.duration.String(),
		"--quiet", "--force", "--overwrite", "--benchdata=" + filepath.Join(b.dir, "recording"),
	}
	switch kind {
	case "get", "stat":
		args = append(args, fmt.Sprintf("--objects=%d", b.concurrent))
	case "delete":
		args = append(args, "--batch=1", fmt.Sprintf("--objects=%d", int(b.duration.Seconds()*40_000)))
	}
	args = append(args, more...)
	letter := strings.ToUpper(kind[:1])[0]
	if kind == "stat" {
		letter = 'H'
	}
	before, err := s.counts()
	if err != nil {
		return row{}, err
	}
	start := clock.Now()
	used, err := runFor(exec.Command(b.warp, args...))
	if err != nil {
		return row{}, fmt.Errorf("warp %s: %w", strings.Join(args, " "), err)
	}
	elapsed := clock.Now().Sub(start)
	after, err := s.counts()
	if err != nil {
		return row{}, err
	}
	ops := float64(after[letter] - before[letter])
	cpu := float64(used.Microseconds())
	if letter != 'P' {
		cpu -= put * float64(after['P']-before['P'])
	}
	seconds := b.duration.Seconds()
	if kind == "delete" { // it ends when nothing is left to delete, and most of its time went into making that
		seconds = elapsed.Seconds()
	}
	allocs, err := measureAllocs(s, engine, kind, size)
	return row{what: name(kind, size), by: engine, cpu: cpu / ops, rate: ops / seconds, allocs: allocs}, err
}

func name(kind string, size int) string {
	if size == large {
		return strings.ToUpper(kind) + " 10 MiB"
	}
	return strings.ToUpper(kind) + " 4 KiB"
}

func (b *bench) measureWrk(s *server, size int) (row, error) {
	before, err := s.counts()
	if err != nil {
		return row{}, err
	}
	used, err := runFor(exec.Command("wrk", "-t1", fmt.Sprintf("-c%d", b.concurrent), fmt.Sprintf("-d%ds", max(1, int(b.duration.Seconds()))),
		"http://"+s.host+"/bucket/object"))
	if err != nil {
		return row{}, fmt.Errorf("wrk: %w", err)
	}
	after, err := s.counts()
	ops := float64(after['G'] - before['G'])
	return row{name("get", size), "wrk", float64(used.Microseconds()) / ops, ops / b.duration.Seconds(), -1}, err
}

func (b *bench) measureWritev(s *server, size int) (row, error) {
	cmd := self("writev", s.host, fmt.Sprint(size), fmt.Sprint(b.concurrent))
	out, err := cmd.Output()
	if err != nil {
		return row{}, err
	}
	count, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return row{name("put", size), "writev", float64(usedBy(cmd).Microseconds()) / count, count / writevTime.Seconds(), -1}, err
}

// runFor runs a command to its end and tells how much CPU time it used.
func runFor(cmd *exec.Cmd) (time.Duration, error) {
	text, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	return usedBy(cmd), nil
}

// usedBy is how much CPU time a command used that has ended.
func usedBy(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// self is this program in another process.
func self(args ...string) *exec.Cmd { return exec.Command(os.Args[0], args...) }

func measureAllocs(s *server, engine, kind string, size int) (allocs float64, err error) {
	out, err := self("allocs", s.host, engine, kind, fmt.Sprint(size)).Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &allocs)
	}
	return allocs, err
}

// server is the server in its process.
type server struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	host string
}

func startServer(size, keep int) (*server, error) {
	s := &server{cmd: self("serve", fmt.Sprint(size), fmt.Sprint(keep))}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	s.host = strings.TrimSpace(line)
	return s, err
}

// counts are how many requests arrived so far, by the first letter of their method.
func (s *server) counts() (map[byte]int64, error) {
	if _, err := fmt.Fprintln(s.in, "counts"); err != nil {
		return nil, err
	}
	var get, put, head, del int64
	_, err := fmt.Fscanln(s.out, &get, &put, &head, &del)
	return map[byte]int64{'G': get, 'P': put, 'H': head, 'D': del}, err
}

func (s *server) stop() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
