package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/testkit"
)

// minioFiles are the files of MinIO warp, one for each of its benchmarks that has one.
func minioFiles(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/minio_warp_yaml/*.yml")
	if err != nil || len(paths) != 9 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(path), ".yml")] = string(text)
	}
	return files
}

var yamlLine = regexp.MustCompile(`^( *)([a-z0-9-]+):[ ]?(.*)$`)

// withValue returns a file with another value of a key, which is written as warp.params.obj.size; ok is false if it has no such key.
func withValue(text, key, value string) (_ string, ok bool) {
	var path []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		path = append(path[:min(len(path), len(m[1])/2)], m[2])
		if strings.Join(path, ".") != key {
			continue
		}
		lines[i] = m[1] + m[2] + ": " + value
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], m[1]+"  - ") {
			lines = slices.Delete(lines, i+1, i+2)
		}
		return strings.Join(lines, "\n"), true
	}
	return text, false
}

var switches = []string{"True", "False"}

// minioKeys are the keys of the files with values that they may have.
var minioKeys = map[string][]string{
	"warp.api": {"v1", "'v1'"}, "warp.quiet": switches, "warp.no-color": switches, "warp.json": switches,
	"warp.bench-data": {"", "data", "'data'"}, "warp.warp-client": {"", "127.0.0.1", "[a, 'b:7761']", "'c{1...3}'"},
	"warp.server-profile":    {"", "cpu", "[cpu, mem, block, mutex, trace]", "'cpu,mem'", "threads", "cpuio"},
	"warp.remote.access-key": {"other", "'minioadmin'"}, "warp.remote.secret-key": {"minio/+admin", "'$#x'"},
	"warp.remote.region": {"", "'us-east-1'", "eu-central-1"}, "warp.remote.bucket": {"", "some-bucket"},
	"warp.remote.host": {"h:9000", "[h1, h2]", "'h{1...4}:9000'", "'h1,h2'", "''"}, "warp.remote.tls": switches,
	"warp.remote.insecure": switches, "warp.remote.influxdb": {"''", "", "http://t@h:8086/b/o", "'http://h:8086/b/o?k=v'"},
	"warp.params.duration": {"'5m'", "1m", "30s", "1h30m"}, "warp.params.concurrent": {"8", "16", "1"},
	"warp.params.objects": {"32000", "3200"}, "warp.params.batch": {"100", "1"}, "warp.params.files": {"10000", "10"},
	"warp.params.obj.size": {"'1KiB'", "100KiB", "10MB", "20MiB"}, "warp.params.obj.rand-size": switches,
	"warp.params.obj.part-size": {"", "'5MiB'", "16MiB"}, "warp.params.obj.versions": {"2", "1"},
	"warp.params.obj.name": {"'warp-multipart.bin'", "a/b", ""}, "warp.params.obj.parts": {"16", "3"},
	"warp.params.autoterm.enabled": switches, "warp.params.autoterm.dur": {"'10s'", "30s"}, "warp.params.autoterm.pct": {"7.5", "20"},
	"warp.params.list-existing": switches, "warp.params.list-flat": switches, "warp.params.no-clear": switches,
	"warp.params.keep-data": switches, "warp.params.range": switches, "warp.params.range-size": {"", "1KiB"},
	"warp.params.metadata": switches, "warp.params.max-keys": {"100", "1000"}, "warp.params.post": switches,
	"warp.params.distribution.get": {"45.0", "45", "0"}, "warp.params.distribution.stat": {"30.0", "0"},
	"warp.params.distribution.put": {"15.0", "10"}, "warp.params.distribution.delete": {"10.0", "10"},
	"warp.io.prefix": {"", "some/prefix"}, "warp.io.no-prefix": switches, "warp.io.md5": switches,
	"warp.io.disable-multipart": switches, "warp.io.disable-sha256-payload": switches, "warp.io.sse-s3-encrypt": switches,
	"warp.io.sse-c-encrypt": switches, "warp.io.storage-class": {"", "STANDARD_IA"},
	"warp.analyze.verbose": switches, "warp.analyze.host": {"''", "https://s3-1.example.com:9000"}, "warp.analyze.filter-op": {"''", "GET"},
	"warp.analyze.segment-duration": {"", "1s"}, "warp.analyze.out": {"", "out.csv"}, "warp.analyze.skip-duration": {"", "5s"},
	"warp.analyze.limit": {"", "0"}, "warp.analyze.offset": {"", "0"},
	"warp.advanced.stress": switches, "warp.advanced.debug": switches, "warp.advanced.disable-http-keepalive": switches,
	"warp.advanced.http2": switches, "warp.advanced.rps-limit": {"", "100", "0.5"}, "warp.advanced.host-select": {"'weighed'", "roundrobin"},
	"warp.advanced.resolve-host": {"False", ""}, "warp.advanced.sndbuf": {"32768", "0"}, "warp.advanced.rcvbuf": {"32768", "65536"},
	"warp.advanced.serve": {""},
}

// refusedKey is a value that is refused, and why.
type refusedKey struct{ key, value, want string }

// refusedKeys are refused in each file.
var refusedKeys = []refusedKey{
	{"warp.api", "v2", `api "v2" (want v1)`},
	{"warp.advanced.serve", "':7762'", "use --http to serve a page"},
	{"warp.analyze.limit", "5", "use --analyze.skip"},
	{"warp.analyze.offset", "5", "use --analyze.skip"},
	{"warp.server-profile", "disk", `"disk" (want `},
	{"warp.params.duration", "5 minutes", `invalid value "5 minutes" (want a duration`},
	{"warp.params.concurrent", "0", "invalid value 0"},
	{"warp.remote.host", "'a b'", "cannot be part of a name"},
	{"warp.remote.influxdb", "http://t:secret@h:8086/b/o", "a password is not sent to InfluxDB"},
	{"warp.advanced.host-select", "best", `"best" (want `},
}

// refusedIn are refused in some files, with other values that are there.
var refusedIn = map[string][]refusedKey{
	"list": {
		{"warp.params.obj.rand-size", "True", "want at least 256 bytes"},
		{"warp.params.metadata", "True", "a request for versions has no --list-version, --metadata or --start-after; leave them out"},
	},
	"delete": {
		{"warp.params.list-existing", "True", "objects that this run did not make; add --force if that is what you want"},
		{"warp.params.objects", "100", "too few for 8 threads that delete 100 at once"},
	},
}

// TestKeysOfMinIOWarp: each key of the files of MinIO warp with each of its values, in each file that has the key.
//
// works: MinIO warp: each key of its files
func TestKeysOfMinIOWarp(t *testing.T) {
	testkit.SkipSerial(t)
	t.Parallel()
	files := minioFiles(t)
	for key, values := range minioKeys {
		found := false
		for name, text := range files {
			for _, value := range values {
				if slices.ContainsFunc(refusedIn[name], func(r refusedKey) bool { return r.key == key && strings.EqualFold(r.value, value) }) {
					continue
				}
				changed, ok := withValue(text, key, value)
				if found = found || ok; !ok {
					break
				}
				if code, errs := checkFile(changed); code != process.ExitOK {
					t.Errorf("%s: %s: %s: exit code %d: %s", name, key, value, code, errs)
				}
			}
		}
		if !found {
			t.Errorf("no file has %s", key)
		}
	}
	for name, text := range files {
		for _, key := range keysOf(text) {
			if _, ok := minioKeys[key]; !ok && key != "warp.benchmark" {
				t.Errorf("%s: %s has no values here", name, key)
			}
		}
		for _, r := range slices.Concat(refusedKeys, refusedIn[name]) {
			changed, ok := withValue(text, r.key, r.value)
			code, errs := checkFile(changed)
			if !ok || code != process.ExitUsage || !strings.Contains(errs, r.want) || !strings.Contains(errs, "\n       | ") {
				t.Errorf("%s: %s: %s: exit code %d: %s (want %s)", name, r.key, r.value, code, errs, r.want)
			}
		}
	}
}

// keysOf returns the keys of a file that have values.
func keysOf(text string) (keys []string) {
	var path []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := yamlLine.FindStringSubmatch(line); m != nil {
			path = append(path[:min(len(path), len(m[1])/2)], m[2])
			group := m[3] == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], m[1]+"  ") && !strings.Contains(lines[i+1], " - ")
			if !group && len(path) > 1 {
				keys = append(keys, strings.Join(path, "."))
			}
		}
	}
	return keys
}

// checkFile checks a file without credentials.
func checkFile(text string) (code int, errs string) {
	env, _ := testEnv("run", "--check", "-")
	var stderr bytes.Buffer
	env.Stdin, env.Stderr = strings.NewReader(text), &stderr
	return Main(env), stderr.String()
}

// TestFilesOfMinIOWarp runs each file as it stands, with another host, its credentials, and less to do.
//
// works: MinIO warp: `warp run` of its nine files, with hosts and credentials in them
func TestFilesOfMinIOWarp(t *testing.T) {
	t.Parallel()
	host, keys := serveForTest(t)
	small := strings.NewReplacer(
		"s3-{1...4}.example.com:9000", host, "tls: True", "tls: False", "'5m'", "300ms", "'1m'", "300ms", "32000", "3200", "10000", "50", "5000", "50",
		"objects: 1000", "objects: 100", "parts: 16", "parts: 2",
		"the-access-key", strings.TrimPrefix(keys[0], "WARP_ACCESS_KEY="), "the-secret-key", strings.TrimPrefix(keys[1], "WARP_SECRET_KEY="),
		"json: False", "json: True", "bench-data:", "bench-data: recorded",
	)
	for name, text := range minioFiles(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text = strings.Replace(small.Replace(text), "    bucket:", "    bucket: yaml-"+name, 1)
			path := filepath.Join(dir, name+".yml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("warp", "run", path)
			cmd.Dir = dir
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if name == "zip" { // which needs an extension of MinIO
				if !strings.Contains(stderr.String(), "the server does not read zip archives") {
					t.Errorf("%v\n%s", err, stderr.String())
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if !strings.HasPrefix(stdout.String(), "{") || strings.Contains(stderr.String(), "Credentials") {
				t.Errorf("printed %s\n%s", stdout.String(), stderr.String())
			}
			if _, err := os.Stat(filepath.Join(dir, "recorded.csv.zst")); err != nil {
				t.Error(err)
			}
		})
	}
}
