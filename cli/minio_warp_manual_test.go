package cli

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/pkg/op"
)

// manualOfMinIOWarp is not part of the project.
const manualOfMinIOWarp = "../../shared/seeds/warp.md"

// manualLine is a command line of that manual.
type manualLine struct {
	line string
	is   string // what stands for its placeholders; empty: it has none
}

// manualLines are all of them; lines that write files come before lines that read them. HOST and CLIENT are the test's.
var manualLines = []manualLine{
	{"warp mixed --duration=1m", ""},
	{"warp mixed --duration=1m --requests", ""},
	{"warp stat --autoterm", ""},
	{
		"warp get --duration=10m --warp-client=client-{1...10} --host=minio-server-{1...16} --access-key=minio --secret-key=minio123",
		"warp get --duration=10m --warp-client=CLIENT --host=HOST --access-key=KEY --secret-key=SECRET --noclear --benchdata=get",
	},
	{"warp analyze warp-get-2020-01-07[024225]-QWK3.csv.zst -requests -analyze.op=GET", ""},
	{"warp analyze (filename)", "warp analyze get.csv.zst"},
	{"warp get", "warp get --benchdata=again"},
	{"warp cmp warp-get-2019-11-29[125341]-7ylR.csv.zst warp-get-2019-202011-29[124533]-HOhm.csv.zst", "warp cmp get.csv.zst again.csv.zst"},
	{"warp cmp (file-before) (file-after)", "warp cmp get.csv.zst again.csv.zst"},
	{"warp merge file1 file2 ...", "warp merge a.csv.zst b.csv.zst"},
	{"warp merge (file1) (file2) [additional files...]", "warp merge a.csv.zst b.csv.zst c.csv.zst"},
	{"warp client [listenaddress:port]", "warp client 127.0.0.1:0"}, // see startClient
	{"warp client", "warp client 127.0.0.1:0"},
	{"warp command [options]", "warp put --concurrent=8 -obj.randsize -obj.size=100KiB -host-select=roundrobin"},
}

// TestManualOfMinIOWarp runs the command lines of MinIO warp's manual, shortened only in time and size; see docSession.adapt.
func TestManualOfMinIOWarp(t *testing.T) {
	if testing.Short() {
		t.Skip("docs/guide/minio-warp.md has most of them")
	}
	t.Parallel()
	s := newDocSession(t)
	client := startClient(t)
	_, access, _ := strings.Cut(s.keys[0], "=")
	_, secret, _ := strings.Cut(s.keys[1], "=")
	here := strings.NewReplacer("CLIENT", client, "HOST", s.host, "KEY", access, "SECRET", secret)
	for _, name := range []string{"a", "b", "c"} { // of clients that ran together
		if err := recordClient(filepath.Join(s.dir, name+".csv.zst"), op.Get, 10, name, 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range manualLines {
		line := m.line
		if m.is != "" {
			line = here.Replace(m.is)
		}
		if !strings.HasPrefix(line, "warp client") {
			s.perform(line)
		}
	}
}

// startClient starts "warp client", which ends with the test, and returns its address.
func startClient(t *testing.T) string {
	t.Helper()
	c := exec.Command("warp", "client", "127.0.0.1:0")
	c.Dir = t.TempDir()
	out, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var exit *exec.ExitError
		if err := errors.Join(c.Process.Signal(os.Interrupt), c.Wait()); err != nil && !errors.As(err, &exit) {
			t.Errorf("warp client: %v", err)
		}
	})
	listens := regexp.MustCompile(`on (127\.0\.0\.1:\d+)\.`)
	for in := bufio.NewScanner(out); in.Scan(); {
		if m := listens.FindStringSubmatch(in.Text()); m != nil {
			go func() {
				for in.Scan() { // so that it can go on writing
				}
			}()
			return m[1]
		}
	}
	t.Fatal("warp client does not say where it listens")
	return ""
}

// TestManualLinesAreComplete: the table above has each command line of the manual, and each flag that the manual names is one of a command.
func TestManualLinesAreComplete(t *testing.T) {
	text, err := os.ReadFile(manualOfMinIOWarp)
	if err != nil {
		t.Skip("the manual is not here:", err)
	}
	lines := regexp.MustCompile("(?m)^(?:λ |\\$ )?(warp [a-z].*?)\\s*$|`(warp [^`]+)`").FindAllStringSubmatch(string(text), -1)
	if len(lines) < 10 {
		t.Fatalf("the manual has %d command lines", len(lines))
	}
	for _, l := range lines {
		line := l[1] + l[2]
		if !slices.ContainsFunc(manualLines, func(m manualLine) bool { return m.line == line }) {
			t.Errorf("%q is not in the table", line)
		}
	}
	env, _ := testEnv(benchmarks()...)
	known := map[string]bool{"analysis.dur": true} // a slip: the same paragraph has analyze.dur
	for _, c := range root(&env).Commands {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				known[name] = true
			}
		}
	}
	for _, m := range regexp.MustCompile("`--?([a-z][a-z0-9.-]+)").FindAllStringSubmatch(string(text), -1) {
		if !known[m[1]] {
			t.Errorf("no command has --%s", m[1])
		}
	}
}
