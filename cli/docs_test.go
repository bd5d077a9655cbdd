package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/pkg/bench/work"
	"warp/pkg/runinfo"
)

// skipped are the lines of documented commands that are not run here: those that are no commands of warp.
var skipped = []string{
	"go test ./...",
	"go install .",
	"make install",
	"make help",
}

// TestDocumentedCommands runs the lines of all blocks marked sh in README.md and below docs, in order, in one directory for
// each file. A line is a command of warp ("go run ." is one too), one that sets WARP_HOST and the keys, or one of skipped;
// anything else fails the test. The commands run as they stand, but for this:
//
//   - the server is one that warp serves, whatever the host; only "go run ." starts one of its own where none is given. What
//     is an extension of MinIO runs on a responder, which has it
//   - searches have short trials on a slow link, and sweeps few operations; a baseline is only explained
//   - benchmarks have a number of operations, not a --duration; --objects and --obj.size are small
//   - a file of another tool is one of those that conversions are tested with
//   - a recording that is to be analysed but does not exist is a copy of the newest one
func TestDocumentedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("the sessions in testdata/script perform the same commands")
	}
	t.Parallel()
	for _, path := range append(documents(t), "../README.md") {
		commands := shellLines(t, path)
		if len(commands) == 0 {
			continue
		}
		t.Run(strings.TrimPrefix(path, "../"), func(t *testing.T) {
			t.Parallel()
			s := newDocSession(t)
			for _, line := range commands {
				s.perform(line)
			}
		})
	}
}

// documents returns the paths of all pages below docs.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) < 20 {
		t.Fatalf("documents: %q, %v", paths, err)
	}
	return paths
}

// shellLines are the lines of all blocks marked sh.
func shellLines(t *testing.T, path string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inside, shell := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch mark, fence := strings.CutPrefix(line, "```"); {
		case fence:
			inside = !inside
			shell = inside && mark == "sh"
		case shell && line != "" && !strings.HasPrefix(line, "#"):
			lines = append(lines, line)
		}
	}
	return lines
}

// docSession is a shell for documented commands.
type docSession struct {
	t    *testing.T
	dir  string
	host string   // of a server
	keys []string // of that server, as variables
	mini string   // host of a server with the extensions of MinIO; empty: not started yet
	env  []string // without them
}

// newDocSession starts a session with a server.
func newDocSession(t *testing.T) *docSession {
	t.Helper()
	s := &docSession{t: t, dir: t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "WARP_") && !strings.HasPrefix(v, "AWS_") { // a real store is nobody's to test with
			s.env = append(s.env, v)
		}
	}
	s.host, s.keys = serveForTest(t)
	return s
}

// serveForTest starts "warp serve", which ends with the test, and returns its host, and its keys as variables.
func serveForTest(t *testing.T) (host string, keys []string) {
	t.Helper()
	server := exec.Command("warp", "serve", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Process.Signal(os.Interrupt), server.Wait()); err != nil {
			t.Errorf("warp serve: %v", err)
		}
	})
	announced := regexp.MustCompile(`^export WARP_HOST=(\S+) (WARP_ACCESS_KEY=\S+) (WARP_SECRET_KEY=\S+)$`)
	for in := bufio.NewScanner(out); in.Scan(); {
		if m := announced.FindStringSubmatch(in.Text()); m != nil {
			return m[1], m[2:]
		}
	}
	t.Fatal("warp serve does not say how to reach it")
	return "", nil
}

// perform runs one line.
func (s *docSession) perform(line string) {
	s.t.Helper()
	if slices.Contains(skipped, line) {
		return
	}
	if strings.HasPrefix(line, "export WARP_HOST=") {
		return // all have these
	}
	env := append(s.env, "WARP_HOST="+s.host, s.keys[0], s.keys[1])
	words := shellWords(line)
	if slices.Equal(words[:min(3, len(words))], []string{"go", "run", "."}) {
		words, env = append([]string{"warp"}, words[3:]...), s.env
	}
	if words[0] != "warp" || len(words) < 2 {
		s.t.Fatalf("not a command that can be run here: %q; see skipped", line)
	}
	s.run(line, s.adapt(words[1:]), env)
}

// adapt returns the arguments of a documented command for a small run; see TestDocumentedCommands.
func (s *docSession) adapt(args []string) []string {
	sized, counted := false, false
	host := s.host
	if slices.Contains([]string{"snowball", "zip", "fanout", "select"}, args[0]) {
		host = s.extended()
	}
	parts := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--part.size=") })
	for i, arg := range args {
		if strings.HasPrefix(arg, "--host=") {
			args[i] = "--host=" + host
		}
		if arg == "--obj.size=1MiB" && !parts {
			args[i] = "--obj.size=256KiB"
		}
		if arg == "--objects=500" || arg == "--objects=1000" {
			args[i] = "--objects=200"
		}
		sized = sized || strings.HasPrefix(arg, "--obj.size=")
		counted = counted || strings.HasPrefix(arg, "--objects=")
	}
	switch args[0] {
	case "analyze", "clean":
		for _, name := range args[1:] {
			if strings.HasSuffix(name, runinfo.Suffix) && !strings.HasPrefix(name, "-") {
				s.provide(name)
			}
		}
		return args
	case "trace", "replay":
		s.log(args[len(args)-1])
		return args
	case "search":
		args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--host=") })
		return append(args, "--host="+slowLink(s.t, s.host), "--objects=40", "--obj.size=16KiB", "--max-inflight=4", "--trial=100ms", "--budget=2s")
	case "baseline":
		return append(args, "--explain")
	case "sweep":
		if args[1] == "stat" || args[1] == "get" {
			args = append(args, "--objects=10")
		}
		return append(args, "--warmup=0s", "--ops=100")
	case "script", "run":
		s.example(args[len(args)-1])
		return args
	case "get", "mixed", "stat", "list", "select":
		if !counted {
			args = append(args, "--objects=40")
		}
		fallthrough
	case "put", "snowball", "zip", "fanout":
		if !sized {
			args = append(args, "--obj.size=16KiB")
		}
	}
	ops := "--ops=100"
	switch {
	case parts:
		ops = "--ops=10"
	case args[0] == "get": // rules are about its percentiles
		ops = "--ops=1500"
	}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--concurrent=") && strings.Contains(arg, "/") }) {
		args = append(args, "--think=5ms") // its stages last as long as they say
	}
	if _, ok := work.Lookup(args[0]); ok {
		args = append(args, "--duration=0", ops) // as many on any machine
	}
	return args
}

// example copies a file of another tool, if it is one of those that conversions are tested with.
func (s *docSession) example(name string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "pkg", "script", "convert", "testdata", filepath.Base(name)))
	if errors.Is(err, os.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join("..", "test", "scripts", filepath.Base(name)))
	}
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, filepath.Base(name)), text, 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// logs are what documented commands read as a trace.
var logs = map[string]string{
	"access.log": s3Log(),
	"nginx.log":  `10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /b/k HTTP/1.1" 200 2326 "-" "agent" 0.125` + "\n",
}

// s3Log is an access log: of 100 objects that are written and read.
func s3Log() string {
	var b strings.Builder
	for i := range 200 {
		method, kind := "PUT", "REST.PUT.OBJECT"
		if i >= 100 {
			method, kind = "GET", "REST.GET.OBJECT"
		}
		fmt.Fprintf(&b, "o b [06/Feb/2019:00:00:%02d +0000] 192.0.2.3 - R%d %s k%d \"%s /b/k%d HTTP/1.1\" 200 - - 4096 41 28 \"-\" \"-\" -\n", i/100, i, kind, i%100, method, i%100)
	}
	return b.String()
}

// log makes a log be there, unless it is another name.
func (s *docSession) log(name string) {
	s.t.Helper()
	if text, ok := logs[name]; ok {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// extended returns the host of a server with the extensions of MinIO.
func (s *docSession) extended() string {
	s.t.Helper()
	if s.mini == "" {
		r, err := responder.New(responder.Options{Keep: true})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { r.Close() })
		s.mini = r.Host()
	}
	return s.mini
}

// provide makes a recording be there.
func (s *docSession) provide(name string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if _, err := os.Stat(path); err == nil {
		return
	}
	all, err := filepath.Glob(filepath.Join(s.dir, "*"+runinfo.Suffix))
	if err != nil || len(all) == 0 {
		s.t.Fatalf("there is no recording yet that %s could be", name)
	}
	newest := slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(modified(s.t, a), modified(s.t, b)) })
	text, err := os.ReadFile(newest)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func modified(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UnixNano()
}

// run runs warp; the words behind "<" and ">" name files for its standard input and output.
func (s *docSession) run(line string, args, env []string) {
	s.t.Helper()
	target := ""
	if i := slices.Index(args, ">"); i >= 0 && i+1 < len(args) {
		target = args[i+1]
		args = slices.Delete(args, i, i+2)
	}
	var stdin *os.File
	if i := slices.Index(args, "<"); i >= 0 && i+1 < len(args) {
		f, err := os.Open(filepath.Join(s.dir, args[i+1]))
		if err != nil {
			s.t.Fatal(err)
		}
		defer f.Close()
		stdin, args = f, slices.Delete(args, i, i+2)
	}
	c := exec.Command("warp", args...)
	c.Dir, c.Env = s.dir, env
	if stdin != nil {
		c.Stdin = stdin
	}
	var out, file bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if target != "" {
		c.Stdout = &file
	}
	unknown := args[0] == "search" || args[0] == "cmp" // short runs may have no answer
	if err := c.Run(); err != nil && (c.ProcessState.ExitCode() != process.ExitUnknown || !unknown) {
		s.t.Errorf("%s\nran as: warp %s\n%v\n%s", line, strings.Join(args, " "), err, &out)
	}
	if target != "" {
		if err := os.WriteFile(filepath.Join(s.dir, target), file.Bytes(), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// shellWords are the words of a line; double quotes keep blanks within one.
func shellWords(line string) (words []string) {
	var word strings.Builder
	quoted, begun := false, false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	return words
}
