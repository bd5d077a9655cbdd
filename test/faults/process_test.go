package faults

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/testkit"
)

// patience is how long a test waits for what must happen; far longer than it takes.
const patience = 2 * time.Minute

// process is a warp that a test started.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	out  output
	err  output
	done chan struct{}
}

// start runs warp in a directory, with a prefix to its command line if the process is to live somewhere special.
func start(t *testing.T, name, dir string, env, prefix []string, args ...string) *process {
	t.Helper()
	p := prepare(t, name, dir, env, prefix, args...)
	p.begin()
	return p
}

// prepare makes a process that begin starts.
func prepare(t *testing.T, name, dir string, env, prefix []string, args ...string) *process {
	t.Helper()
	testkit.ResetSIGHUP()
	path, err := exec.LookPath("warp") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	line := append(append(append([]string(nil), prefix...), path), args...)
	p := &process{t: t, name: name, cmd: exec.Command(line[0], line[1:]...), done: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0"}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	return p
}

// begin starts the process, which ends with the test.
func (p *process) begin() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code tells
		close(p.done)
	}()
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it is gone already, or was only there to serve
		<-p.done
		if text := p.err.String(); strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic:") {
			p.t.Errorf("%s: %s", p.name, text)
		}
		if p.t.Failed() {
			p.t.Logf("%s %q said:\n%s%s", p.name, p.cmd.Args, p.out.String(), p.err.String())
		}
	})
}

// kill ends the process as the system does when memory is short: it has no time for anything.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // one that has ended by itself fails the test elsewhere
	<-p.done
}

// says waits until the process has printed what matches a pattern, and gives the first group. It may have ended since.
func (p *process) says(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var m []string
	until(p.t, p.name+" says "+pattern, func() bool {
		over := p.ended()
		m = re.FindStringSubmatch(p.err.String())
		if m == nil && over {
			p.t.Fatalf("%s ended and did not say %s", p.name, pattern)
		}
		return m != nil
	})
	return m[len(m)-1]
}

// ended reports whether the process has ended, and all that it printed is known.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// ends waits for the end of the process, which must exit with a code.
func (p *process) ends(code int) {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%s does not end", p.name)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("%s ended with code %d, want %d", p.name, got, code)
	}
}

// output is what a process printed so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// until waits for something that other processes bring about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout waiting until %s", what)
		}
	}
}

// tokenFile makes the token of a test.
func tokenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("a token of sixteen bytes or more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// client is a warp client with a directory of its own.
type client struct {
	*process
	dir  string
	addr string
}

func startClient(t *testing.T, token string, prefix []string, listen string) *client {
	t.Helper()
	c := &client{dir: t.TempDir()}
	c.process = start(t, "client", c.dir, nil, prefix, "client", "--token-file="+token, listen)
	c.addr = c.says(`Waiting for a coordinator on (\S+)\. `)
	return c
}

// over waits until the client's run is over, and gives the reason if there is one.
func (c *client) over() string {
	c.t.Helper()
	return c.says(`The run for the coordinator .* is over[:.] ?(.*)`)
}
