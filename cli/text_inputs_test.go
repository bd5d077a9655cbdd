package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/input"
)

// store are flags of a store that is never asked.
var store = []string{"get", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b", "--print-scenario"}

// small is a scenario.
const small = "warp: 1\ndata: {p: {objects: 2, size: 1KiB}}\nphases: [{run: a, do: [{get: p}], load: 1, until: {ops: 2}}]\n"

// textInputs are commands that read a text file, which is FILE, and such a file. It is right where the command succeeds, or fails with
// what the file says rather than with how it is read.
var textInputs = map[string]struct {
	args []string
	text string
}{
	"scenario":     {[]string{"run", "--check", "FILE"}, small},
	"formatted":    {[]string{"script", "fmt", "FILE"}, small},
	"converted":    {[]string{"script", "convert", "FILE"}, "warp:\n  api: v1\n  benchmark: get\n  params:\n    objects: 2\n"},
	"prices":       {[]string{"run", "--explain", "--prices=FILE", "../examples/mixed.warp.yaml"}, `{"currency": "EUR"}`},
	"hosts":        {[]string{"get", "--host=file:FILE", "--access-key=a", "--secret-key=b", "--print-scenario"}, "127.0.0.1:1\n"},
	"clients":      {slices.Concat(store[:4], []string{"--warp-client=file:FILE", "--syncstart=x"}), "127.0.0.1:1\n"},
	"keys":         {[]string{"get", "--host=127.0.0.1:1", "--credentials-file=FILE", "--print-scenario"}, "access secret\n"},
	"sizes":        {slices.Concat(store, []string{"--obj.size=file(FILE)"}), "1KiB\n"},
	"rate":         {slices.Concat(store, []string{"--rate=file(FILE)"}), "0,50\n10,100\n"},
	"threads":      {slices.Concat(store, []string{"--concurrent=file(FILE)"}), "0,5\n10,10\n"},
	"authorities":  {slices.Concat(store, []string{"--host=https://127.0.0.1:1", "--ca-file=FILE"}), ""},
	"client token": {[]string{"client", "--token-file=FILE", "127.0.0.1:99999"}, "0123456789abcdef\n"},
	"page's token": {[]string{"client", "--http=127.0.0.1:99999", "--http-token-file=FILE", "127.0.0.1:99999"}, "0123456789abcdef\n"},
}

// otherInputs are commands that read a file that may be longer than a text, or any stream.
var otherInputs = map[string]struct {
	args []string
	text string
}{
	"recording": {[]string{"analyze", "--json", "FILE"}, "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tend\tduration_ns\n" +
		"0\t0\tPUT\tc\t1\t10\thttp://h\tk\t\t2026-01-01T00:00:00Z\t\t2026-01-01T00:00:01Z\t1000000000\n"},
	"replayed":         {[]string{"run", "--explain", "--allow=files", "--set=TRACE=FILE", "testdata/replay.warp.yaml"}, "100 REST.PUT.OBJECT a 3000\n200 REST.GET.OBJECT a 3000\n"},
	"trace of columns": {[]string{"trace", "--json", "--columns=time=t,op=o,key=k,size=s", "FILE"}, "t,o,k,s\n0,GET,a,10\n1,PUT,b,20\n"},
	"trace of lines":   {[]string{"trace", "--json", "FILE"}, "100 REST.PUT.OBJECT a 3000\n200 REST.GET.OBJECT a 3000\n"},
}

// runWith runs a command of a table with a file of a text.
func runWith(t *testing.T, args []string, path, text string) (code int, out, errs string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return readWith(args, path)
}

// readWith runs a command of a table with a file.
func readWith(list []string, path string) (code int, out, errs string) {
	var args []string
	for _, a := range list {
		args = append(args, strings.ReplaceAll(a, "FILE", path))
	}
	env, stdout := testEnv(args...)
	var stderr bytes.Buffer
	env.Stderr = &stderr
	code = Main(env)
	return code, stdout.String(), stderr.String()
}

// checkMark holds what a command does with a file against what it does if the file begins with a byte order mark.
func checkMark(t *testing.T, args []string, path, text string) {
	t.Helper()
	code, out, errs := runWith(t, args, path, text)
	code2, out2, errs2 := runWith(t, args, path, "\ufeff"+text)
	if code2 != code || withoutSeed(out2) != withoutSeed(out) || errs2 != errs {
		t.Errorf("with a byte order mark: exit code %d, %s%s; without it %d, %s%s", code2, out2, errs2, code, out, errs)
	}
}

// TestOtherInputs: recordings and traces may begin with a byte order mark too.
func TestOtherInputs(t *testing.T) {
	for name, c := range otherInputs {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			checkMark(t, c.args, path, c.text)
			if code, _, errs := readWith(c.args, path); code != process.ExitOK {
				t.Errorf("exit code %d: %s", code, errs)
			}
		})
	}
}

// withoutSeed returns a scenario without its seed, which is random.
func withoutSeed(text string) string {
	return regexp.MustCompile(`seed: \d+`).ReplaceAllString(text, "")
}

// TestTextInputs: each text that a user names may begin with a byte order mark; what is endless or too long is refused.
func TestTextInputs(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	f, err := os.Create(long)
	if err == nil {
		err = f.Truncate(input.List + 1) // a hole, which takes no room
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range textInputs {
		t.Run(name, func(t *testing.T) {
			checkMark(t, c.args, filepath.Join(dir, "text"), c.text)
			if code, out, errs := readWith(c.args, long); code == process.ExitOK || !strings.Contains(errs, "too long for a text of its kind") {
				t.Errorf("a long file: exit code %d, %s%s", code, out, errs)
			}
			if runtime.GOOS == "windows" {
				return
			}
			if code, out, errs := readWith(c.args, "/dev/zero"); code == process.ExitOK || !strings.Contains(errs, "is a device (want a text file)") {
				t.Errorf("an endless file: exit code %d, %s%s", code, out, errs)
			}
		})
	}
}
