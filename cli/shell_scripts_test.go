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

	"warp/internal/testkit"
)

// shellRun is a script of test/scripts, and what a run of it must leave.
type shellRun struct {
	script string
	fixed  bool              // hosts and keys are in the script: flags replace them
	force  bool              // the script deletes what an earlier run of it has made
	args   []string          // of the script
	runs   string            // their number, as it is said before
	files  map[string]string // by pattern of names: what they hold
	out    string            // on standard output
	errs   string            // on standard error
}

const (
	hsbenchHead = `^Loop,Inteval,`
	hsbenchLog  = `(?m)^20.* Hotsauce S3 Benchmark Version`
	s3benchHead = `(?m)^Test parameters`
)

// shellRuns has each script of test/scripts. A phase that ends after a second has no certain number of operations.
var shellRuns = []shellRun{
	{
		script: "hsbench-sizes.sh", runs: "3 runs",
		files: map[string]string{"4K.csv": hsbenchHead, "64K.csv": hsbenchHead, "1M.csv": `(?m)^0,TOTAL,.*,PUT,[1-9]\d*,`},
	},
	{script: "hsbench-clear.sh", fixed: true, runs: "1 run", out: `Int: TOTAL, .* Mode: PUT, Ops: [1-9]\d*,`},
	{script: "hsbench-steps.sh", force: true, runs: "6 runs", out: `(?s)Int: TOTAL, .* Mode: PUT, Ops: 10,.* Mode: GET,.* Mode: LIST,.* Mode: DEL, Ops: 10,.* Mode: BDEL, Ops: 2,`},
	{
		script: "hsbench-getopts.sh", args: []string{"-u", "$URL", "-t", "2", "1K", "2K"}, runs: "2 runs", out: "(?m)^== 1K with 2 threads$",
		files: map[string]string{"result-1k.log": hsbenchLog, "result-2k.json": `"Mode"`},
	},
	{script: "hsbench-args.sh", args: []string{"-z", "1K", "-n", "5", "-m", "ipd"}, runs: "1 run", out: "Int: TOTAL, .* Mode: PUT, Ops: 5,"},
	{
		script: "hsbench-date.sh", runs: "2 runs", errs: `not executed, and taken for successful: > /proc/sys/vm/drop_caches \(line 8\), mv`,
		files: map[string]string{
			`results/\d{8}/all.log`: hsbenchLog, `results/\d{8}/about.txt`: "CPUs", `results/\d{8}/result-1-\d{4}-\d\d-\d\d.csv`: hsbenchHead,
		},
	},
	{
		script: "s3bench-clients.sh", runs: "3 runs", out: s3benchHead, errs: `(?m)^line \d+: -numClients=4 +read GET .* 0$`,
		files: map[string]string{"t1.log": s3benchHead, "t2.log": s3benchHead, "t4.log": `(?m)^numClients: +4`},
	},
	{script: "s3bench-clush.sh", fixed: true, runs: "1 run", errs: `start "warp client" on each`, out: s3benchHead},
	{script: "s3bench-sizes.sh", runs: "2 runs", out: s3benchHead},
	{script: "s3bench-ssh.sh", runs: "2 runs", errs: "meant for node1: ", out: s3benchHead},
	{script: "elbencho-pdsh.sh", runs: "1 run", errs: "meant for h1, h2: "},
	{script: "elbencho-array.sh", runs: "2 runs"},
	{script: "warp-log.sh", runs: "1 run", files: map[string]string{`run-.*-\d{4}-\d\d-\d\d-\d{4}.txt`: `(?m)^Operation: PUT`}},
	{
		script: "warp-loop.sh", runs: "5 runs", errs: `aws s3`,
		files: map[string]string{"r-stat-2.csv.zst": "", "r-put-2.csv.zst": "", "report.txt": `(?m)^Operation: PUT`},
	},
	{script: "fio-here-document.sh", runs: "1 run", files: map[string]string{"r.txt": `(?m)^Operation: PUT`}},
	{script: "ycsb-load-run.sh", runs: "2 runs", files: map[string]string{"load.log": "", "run.log": ""}},
	{script: "object-store-bench.sh", fixed: true, runs: "1 run", out: `(?m)^Starting script statement`},
	{
		script: "side-by-side.sh", runs: "2 runs", out: "(?m)^both are done$",
		files: map[string]string{"a.csv": hsbenchHead, "b.csv": hsbenchHead},
	},
	{script: "sizes-file.sh", runs: "4 runs", errs: "awk", files: map[string]string{"summary.txt": hsbenchLog}},
	{
		script: "endless.sh", runs: "2 runs", out: "(?m)^2 rounds$",
		files: map[string]string{"run-1.log": hsbenchLog, "run-2.log": hsbenchLog},
	},
	{script: "sourced.sh", runs: "2 runs", files: map[string]string{"sourced.log": "(?s) Mode: PUT, Ops: 10,.* Mode: PUT, Ops: 5,"}},
}

// TestShellScripts runs scripts as people have them to their ends, against one server.
func TestShellScripts(t *testing.T) {
	t.Parallel()
	// works: Shell scripts: loops, arrays, functions, getopts, `case`, `while read`
	// works: Shell scripts: `-o FILE`, `-j FILE`, `\| tee FILE`, `> FILE`, `>>`, `2>&1`
	// works: Shell scripts: `$1`, `"$@"`: arguments behind `--`
	// works: Shell scripts: `$(date)`, `$(hostname)`, `$(seq)`, `$(nproc)`, `tr`, `sed`, `cut`, `awk '{print $1}'` on constants
	// works: Shell scripts: `clush`, `pdsh`, `pssh`, `ssh HOST "..."`
	// works: Shell scripts: `sudo`, `nice`, `nohup`, `numactl`, `taskset`, `timeout`, `env`, `time` before a command line
	// works: Shell scripts: command lines of `warp`
	// works: Shell scripts: here-documents
	// works: Shell scripts: `&` and `wait`
	// works: Shell scripts: `source`, `eval`, `bash -c`
	all, err := filepath.Glob("../test/scripts/*.sh")
	if err != nil || len(all) < 20 {
		t.Fatalf("scripts: %q, %v", all, err)
	}
	for _, path := range all {
		name := filepath.Base(path)
		if name != "config.sh" && !slices.ContainsFunc(shellRuns, func(r shellRun) bool { return r.script == name }) {
			t.Errorf("%s is not run", name)
		}
	}
	server, keys := serveForTest(t)
	host := slowLink(t, server)
	access, secret := strings.TrimPrefix(keys[0], "WARP_ACCESS_KEY="), strings.TrimPrefix(keys[1], "WARP_SECRET_KEY=")
	for i, r := range shellRuns {
		if !testkit.InTurn(t, i) {
			continue
		}
		t.Run(r.script, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../test/scripts")); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--allow=env:SIZE"}
			if r.fixed {
				args = append(args, "--host="+host, "--access-key="+access, "--secret-key="+secret, "--region=us-east-1")
			} else {
				text, err := os.ReadFile(filepath.Join(dir, r.script))
				if err != nil {
					t.Fatal(err)
				}
				duration := "1" // seconds; hsbench takes whole ones
				if strings.HasPrefix(r.script, "warp") {
					duration = "0.1"
				}
				for name, value := range map[string]string{
					"AK": access, "SK": secret, "URL": "http://" + host, "EP": "http://" + host, "H": host, "N": "10", "D": duration, "ROUNDS": "2",
				} {
					if regexp.MustCompile(`\$\{?` + name + `\b`).Match(text) {
						args = append(args, "--var="+name+"="+value)
					}
				}
			}
			if r.force {
				args = append(args, "--force")
			}
			args = append(append(args, r.script), "--")
			for _, a := range r.args {
				args = append(args, strings.ReplaceAll(a, "$URL", "http://"+host))
			}
			r.check(t, dir, warpIn(t, dir, args...), access, secret)
		})
	}
}

// warpResult is what a run printed.
type warpResult struct {
	out, errs string
	err       error
}

// warpIn runs warp in a directory.
func warpIn(t *testing.T, dir string, args ...string) warpResult {
	t.Helper()
	path, err := exec.LookPath("warp") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	testkit.ResetSIGHUP()
	err = cmd.Run()
	return warpResult{out.String(), errs.String(), err}
}

// check checks what a run left.
func (r *shellRun) check(t *testing.T, dir string, got warpResult, secrets ...string) {
	t.Helper()
	if got.err != nil {
		t.Fatalf("%v\n%s\n%s", got.err, got.out, got.errs)
	}
	if !strings.Contains(got.errs, r.script+": "+r.runs+"\n") {
		t.Errorf("%s are not said before:\n%s", r.runs, got.errs)
	}
	if !regexp.MustCompile(r.out).MatchString(got.out) {
		t.Errorf("%s is not in\n%s", r.out, got.out)
	}
	if !regexp.MustCompile(r.errs).MatchString(got.errs) {
		t.Errorf("%s is not in\n%s", r.errs, got.errs)
	}
	for _, s := range secrets {
		if strings.Contains(got.out+got.errs, s) {
			t.Errorf("%s is shown", s)
		}
	}
	for pattern, want := range r.files {
		found := false
		_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
			name, _ := filepath.Rel(dir, path)
			if regexp.MustCompile("^" + pattern + "$").MatchString(filepath.ToSlash(name)) {
				text, err := os.ReadFile(path)
				found = err == nil && regexp.MustCompile(want).Match(text)
				if !found {
					t.Errorf("%s holds %q", name, text)
				}
			}
			return nil
		})
		if !found {
			t.Errorf("no file %s with %s", pattern, want)
		}
	}
}
