package ycsb

import (
	"errors"
	"strings"
	"testing"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// commandOf returns a command line, with one file that it can read.
func commandOf(line string) *draft.Command {
	words := strings.Fields(line)
	c := &draft.Command{Program: words[0], At: script.Pos{Line: 1, Column: 1}}
	c.ReadFile = func(name string) (string, error) {
		if name != "w" {
			return "", errors.New(name + ": no such file")
		}
		return "recordcount=300\noperationcount=500\nthreadcount=2\ntable=unused\nreadproportion=1\nupdateproportion=0\n", nil
	}
	for i, w := range words[1:] {
		c.Args = append(c.Args, draft.Word{Text: w, At: script.Pos{Line: 1, Column: 10 * (i + 1)}})
	}
	return c
}

func TestCommand(t *testing.T) {
	const set = "  usertable: {objects: 300, size: 1KB, keys: \"user{fnv}\", "
	for _, c := range []struct{ line, want string }{
		{"ycsb load s3 -P w -p table=b -threads 16 -s", "bucket: b}\ndata:\n" + set + "keep: true"},
		{"ycsb load s3 -P w -p table=b -threads 16 -s", "  - run: load\n    do: [{put: usertable}]\n    load: 16\n    until: {ops: 300}\n"},
		{"ycsb.sh run s3 -threads 16 -P w -target 200 -l label", "load: {rate: 200, max-inflight: 16}\n    until: {ops: 500}\n"},
		{"ycsb run s3 -P w", set + "existing: true, assume: names}\nphases:\n"},
		{"ycsb run s3 -P w -p updateproportion=1", "  - {prepare: usertable, load: 2}\n  - run: run\n"},
		{"ycsb -t -db site.ycsb.db.S3Client -P w -p operationcount=7", "until: {ops: 7}\n"},
		{"ycsb run s3 -P w", "# Without s3.endPoint YCSB measures s3.amazonaws.com"},
	} {
		job, err := Source.ConvertCommand("run.sh", commandOf(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
		} else if text := job.File.Format(); !strings.Contains(text, c.want) {
			t.Errorf("%s becomes\n%s(want %q)", c.line, text, c.want)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	for line, want := range map[string]string{
		"ycsb":                              "run.sh:1:1: ycsb needs load or run",
		"ycsb shell s3":                     `run.sh:1:10: unexpected command "shell" (want load or run)`,
		"ycsb run -P w":                     "the name of a binding is missing (want s3)",
		"ycsb run mongodb -P w":             "run.sh:1:20: YCSB's binding mongodb is no S3 (want s3)",
		"ycsb run s3 -P x":                  "run.sh:1:40: x: no such file",
		"ycsb run s3 -P w -p a":             "run.sh:1:60: -p a (want NAME=VALUE)",
		"ycsb run s3 -P w -threads":         "run.sh:1:50: -threads needs a value",
		"ycsb run s3 -P w -threads no":      "run.sh:1:60: threadcount=no (want a number)",
		"ycsb run s3 -P w -x":               `run.sh:1:50: unexpected argument "-x" (want -P, -p, -threads, -target, -s or -l)`,
		"ycsb -load -db mongo.Client -P w":  "-db mongo.Client: only YCSB's S3 binding can be converted",
		"ycsb run s3 -P w -p recordcount=0": "run.sh:1:60: recordcount is missing",
	} {
		if _, err := Source.ConvertCommand("run.sh", commandOf(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v (want %q)", line, err, want)
		}
	}
}

// TestSecrets: keys are for the run alone.
func TestSecrets(t *testing.T) {
	job, err := Source.ConvertCommand("run.sh", commandOf("ycsb run s3 -P w -p s3.accessKeyId=one -p s3.secretKey=two"))
	if err != nil {
		t.Fatal(err)
	}
	if text := job.File.Format(); strings.Contains(text, "two") || len(job.Flags) != 2 || !job.Flags[0].Secret || !job.Flags[1].Secret {
		t.Errorf("flags %v, scenario\n%s", job.Flags, text)
	}
}

func TestScanned(t *testing.T) {
	y := &converter{Draft: &draft.Draft{}}
	for _, c := range []struct {
		lowest, highest uint64
		records, want   float64
	}{{1, 1, 100, 0.01}, {10, 10, 100, 0.55}, {1000, 1000, 10, 5.5}, {1, 3, 10, (1 + 3 + 6) / 3.0 / 10}} {
		if got := y.scanned(c.lowest, c.highest, c.records); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("scans of %d to %d of %g records read %g, want %g", c.lowest, c.highest, c.records, got, c.want)
		}
	}
}
