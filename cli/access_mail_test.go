package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/pkg/recording"
	"warp/pkg/script"
)

// TestHostOfAPerson: what is signed for any host goes to one that a person names, or is signed with keys of the scenario.
func TestHostOfAPerson(t *testing.T) {
	dir, _ := mailbox(t)
	for _, places := range [][]string{
		{" TARGET", `, signature: S3V2`}, {"PHASES", `  - {run: b, do: [{put: p, post: true}], load: 1, until: {ops: 2}}`},
	} {
		path := mail(t, dir, places...)
		if code, _, stderr := runScenario("--check", path); code != process.ExitUsage {
			t.Errorf("%q: exit code %d: %s", places, code, stderr)
		}
		for _, arg := range []string{"--host=127.0.0.1:2", "--signature=anonymous"} {
			if code, _, stderr := runScenario("--check", arg, path); code != process.ExitOK {
				t.Errorf("%q, %s: exit code %d: %s", places, arg, code, stderr)
			}
		}
	}
}

// TestMailedRecording: what is good for any host does not go to one that a recording names, which somebody else may have made.
func TestMailedRecording(t *testing.T) {
	host, connections := listening(t)
	path := filepath.Join(t.TempDir(), "mail.csv.zst")
	write := func(signature string) {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := recording.NewWriter(f, recording.Header{Config: fmt.Appendf(nil, `{"command":"put","clients":1,"plan":{"run_id":"abcdefgh",`+
			`"target":{"hosts":[%q],"bucket":"prod","signature":%q,"dial_timeout":10000000000,"timeout":120000000000,"idle_timeout":120000000000},`+
			`"data":{"generator":"random","sizes":{"max":1024}},"phases":[{"workload":"put","params":{},"concurrency":1,"ops":2}]}}`, host, signature)})
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		signature, want string
		variables       map[string]string
	}{
		{"S3V2", "good for any host, would go to one that the file names", map[string]string{"WARP_ACCESS_KEY": "a", "WARP_SECRET_KEY": "b"}},
		{"", "the token would go to a host that the file names", map[string]string{"WARP_STS_WEB_TOKEN": "CANARY"}},
	} {
		write(c.signature)
		for _, command := range []string{"clean", "verify"} {
			env, _ := testEnv(command, path)
			var stderr bytes.Buffer
			env.Stderr, env.Getenv = &stderr, func(name string) string { return c.variables[name] }
			if code := Main(env); code != process.ExitUsage || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("%s: exit code %d: %s (want %q)", command, code, stderr.String(), c.want)
			}
		}
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections to the host of the recording", n)
	}
	write("S3V2")
	env, _ := testEnv("clean", "--host="+host, path)
	env.Getenv = func(name string) string {
		return map[string]string{"WARP_ACCESS_KEY": "a", "WARP_SECRET_KEY": "b"}[name]
	}
	if code := Main(env); code != process.ExitFailed || connections.Load() == 0 {
		t.Errorf("a host that a person names: exit code %d, %d connections", code, connections.Load())
	}
}

// TestForceIsSaid: a scenario that may delete what its run did not make says so before it runs.
func TestForceIsSaid(t *testing.T) {
	dir, _ := mailbox(t)
	path := mail(t, dir, " TARGET", ", bucket: prod, insecure: true", "outputs:", "force: true\noutputs:")
	for _, arg := range []string{"--check", "--explain"} {
		if code, stdout, stderr := runScenario(arg, path); code != process.ExitOK ||
			!strings.Contains(stdout, "  insecure: certificates of hosts are not checked\n  force: objects in bucket prod that the run did not make may be overwritten and deleted\n") {
			t.Errorf("%s: exit code %d: %s%s", arg, code, stdout, stderr)
		}
	}
}

// TestSecretsInEveryPlace puts a secret variable into each value of each example, one after the other.
func TestSecretsInEveryPlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../examples/*.warp.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	path, places, tried := filepath.Join(t.TempDir(), "mail.warp.yaml"), 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := script.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		eachValue(reflect.ValueOf(file).Elem(), func(v *script.Value) {
			if places++; v == &file.Warp || testing.Short() && places%10 > 0 {
				return
			}
			old := v.Text
			v.Text += "${WARP_SECRET_KEY}"
			defer func() { v.Text = old }()
			if err := os.WriteFile(path, []byte(file.Format()), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := runScenario("--check", "--host=127.0.0.1:1", path)
			if code != process.ExitUsage || strings.Contains(stdout+stderr, "CANARY") || !strings.Contains(stderr, "WARP_SECRET_KEY") {
				t.Errorf("%s: %q: exit code %d: %s%.300s", name, old, code, stdout, stderr)
			}
			tried++
		})
	}
	if places < 300 || tried == 0 {
		t.Errorf("%d of %d places were tried", tried, places)
	}
}

// eachValue calls a function with each value of a file that is set.
func eachValue(v reflect.Value, f func(*script.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		if one, ok := v.Addr().Interface().(*script.Value); ok {
			if one.Text != "" {
				f(one)
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachValue(v.Field(i), f)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachValue(v.Index(i), f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachValue(v.Elem(), f)
		}
	default:
	}
}
