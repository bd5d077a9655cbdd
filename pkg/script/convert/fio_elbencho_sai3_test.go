package convert

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warp/pkg/generator"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// fioJob is the options that each job of fio needs.
const fioJob = "ioengine=http\nhttp_mode=s3\nhttp_host=h:1\nfilename=/b/o\nbs=4k\nsize=16k\n"

// elbenchoRun is the options that make a file one of elbencho.
const elbenchoRun = "s3endpoints=http://h:1\nthreads=2\nsize=1m\nwrite=1\n"

// sai3Run begins a file of sai3-bench.
const sai3Run = "target: s3://lab/x/\nworkload:\n  - {op: get, path: \"*\", weight: 1"

// TestErrorsOfFioElbenchoSai3: fio, elbencho and sai3-bench.
func TestErrorsOfFioElbenchoSai3(t *testing.T) {
	checkErrors(t, []errorCase{
		{"fio", "[global]\n", "f: there is no job"},
		{"fio", "[j]\nioengine=libaio\n", "f:2:1: ioengine=libaio (want http)"},
		{"fio", "[j]\nioengine=http\nhttp_mode=swift\n", "f:3:1: http_mode=swift (want s3)"},
		{"fio", "[j]\nioengine=http\n", "http_mode=webdav (want s3)"},
		{"fio", "[j]\n" + fioJob + "bs=4q\n", `f:8:1: bs: invalid value "4q" (want a size`},
		{"fio", "[j]\n" + fioJob + "bs=${BS}k\n", "bs=${BS}k: the variable is not set (want --var BS=VALUE)"},
		{"fio", "[j]\n" + fioJob + "rw=trimwrite\n", `rw: invalid value "trimwrite" (want read, write, trim, rw, or rand and one of these)`},
		{"fio", "[j]\n" + fioJob + "rw=write:8k\n", "rw=write:8k leaves out blocks"},
		{"fio", "[j]\n" + fioJob + "filename=/b/o:p\n", `filename: invalid value "p" (want /BUCKET/KEY`},
		{"fio", "[j]\n" + fioJob + "filename=/b\n", `filename: invalid value "/b" (want /b/KEY`},
		{"fio", "[j]\n" + fioJob + "size=1k\n", "size=1k has no block of 4KiB"},
		{"fio", "[j]\n" + fioJob + "size=\n", "size is missing"},
		{"fio", "[j]\n" + fioJob + "time_based\n", "time_based without runtime has no end"},
		{"fio", "[j]\n" + fioJob + "read_iolog=x\n", "read_iolog=x cannot be converted: warp replay performs traces"},
		{"fio", "[j]\n" + fioJob + "latency_target=10ms\n", "a load that follows results is a search here"},
		{"fio", "[j]\n" + fioJob + "random_distribution=pareto:0.2\n", "random_distribution=pareto:0.2 can't be had"},
		{"fio", "[j]\n" + fioJob + "filenam=/b/p\n", `f:8:1: unknown option "filenam" (did you mean filename?)`},
		{"fio", "[j]\n" + fioJob + "include other.fio\n", "include other.fio: other files are not read"},
		{"fio", "[j]\n" + fioJob + "size=8*$mb_memory\n", "$mb_memory is not known (want a number)"},
		{"fio", "[j]\n" + fioJob + "startdelay=1\n[k]\n" + fioJob, "startdelay=0: phases in parallel start at the same time"},
		{"fio", "[j]\n" + fioJob + "[k]\n" + fioJob + "stonewall\nhttp_host=i:1\n", "http_host=i:1, but h:1 of an earlier job"},
		{"fio", "[j]\n" + fioJob + "filename=/b/o/p\nhttp_host=b.org\n", "the bucket may be b, or b of filename (want --var BUCKET=NAME)"},
		{"fio", "[j]\n" + fioJob + "http_object_mode=range\nrw=randrw\n", "a write replaces the object by one block"},

		{"elbencho", elbenchoRun + "block=4KiB\n", `f:5:1: block: invalid value "4KiB" (want digits and one of K, M, G, T, P and E`},
		{"elbencho", elbenchoRun + "rwmixpct=30\n", "rwmixpct=30 cannot be converted: uploads and reads of an earlier run"},
		{"elbencho", elbenchoRun + "treefile=t.txt\n", "treefile=t.txt cannot be converted: names of a list can't be had"},
		{"elbencho", elbenchoRun + "thread=4\n", `unknown option "thread" (did you mean threads?)`},
		{"elbencho", elbenchoRun + "files=0\n", `files: invalid value "0" (want at least 1`},
		{"elbencho", "elbencho -w -Z bkt", "f:1:13: unknown option -Z"},
		{"elbencho", "elbencho -w -t 1 s3://bkt/dir", `invalid bucket (want BUCKET or s3://BUCKET`},
		{"elbencho", "elbencho -t 1 bkt", "nothing is measured"},

		{"sai3-bench", strings.Replace(sai3Run, "s3:", "file:", 1) + "}\n", "f:1:9: target: file:// is no store (want s3://BUCKET/"},
		{"sai3-bench", strings.Replace(sai3Run, "s3:", "az:", 1) + "}\nprepare: {ensure_objects: [{base_uri: gs://x/, count: 1}]}\n", "path: gs://x/ is in a store of another kind"},
		{"sai3-bench", strings.Replace(sai3Run, "s3://lab/x", "az://account", 1) + "}\n", "target: az://account/ names no bucket or container"},
		{"sai3-bench", strings.Replace(sai3Run, "op: get", "op: mkdir", 1) + "}\n", `op "mkdir" cannot be converted`},
		{"sai3-bench", strings.Replace(sai3Run, "op: get", "op: put", 1) + "}\n", "op put: object_size is missing"},
		{"sai3-bench", sai3Run + "}\nduration: soon\n", `f:4:11: duration: invalid value "soon"`},
		{"sai3-bench", sai3Run + "}\nprepare: {ensure_objects: [{base_uri: s3://lab/x/}]}\n", "count is missing"},
		{"sai3-bench", sai3Run + "}\nprepare: {ensure_objects: [{base_uri: s3://other/, count: 1}]}\n", "bucket other, but lab before"},
		{"sai3-bench", sai3Run + "}\ndistributed: {stages: [{name: s, type: hybrid}]}\n", `stage s: type "hybrid" cannot be converted`},
		{"sai3-bench", "sai3-bench run --config a.yaml --cleanup-only", "warp clean do that with what a run kept"},
		{"sai3-bench", "sai3-bench replay --config a.yaml", "sai3-bench replay measures nothing"},
	})
}

// TestDetailsOfFioElbenchoSai3: what options become.
func TestDetailsOfFioElbenchoSai3(t *testing.T) {
	write := "[j]\n" + fioJob + "rw=write\n"
	for _, tc := range []struct{ from, text, want string }{
		{"fio", write + "bs=4ki\nsize=16ki\n", `keys: "o_{i*4000}_4000"`},
		{"fio", write + "kb_base=1000\n", `keys: "o_{i*4000}_4000"`},
		{"fio", write + "bs=0x1000\n", `keys: "o_{i*4096}_4096"`},
		{"fio", write + "offset=8k\n", `{objects: 4, size: 4KiB, keys: "o_{i*4096+8192}_4096"`},
		{"fio", write + "bs=1k,8k\nsize=64k\n", `{objects: 8, size: 8KiB, keys: "o_{i*8192}_8192"`},
		{"fio", write + "numjobs=2\noffset_increment=16k\n", "until: {ops: 8}"},
		{"fio", write + "numjobs=2*2\nnumjobs=$pagesize/1024\n", "load: 4\n"},
		{"fio", write + "numjobs=3\n", "do: [{put: o, overwrite: true, access: seq}]\n    load: 3\n    until: {ops: 12}"},
		{"fio", write + "filename=/b/x\\:y:/b/z\n", "- put: o\n      - put: o2\n"},
		{"fio", write + "rate=8k\n", "load: {rate: 2, max-inflight: 1}"},
		{"fio", write + "runtime=1m\n", "until: {time: 1m, ops: 4}"},
		{"fio", write + "direct=1\nwrite_lat_log=x\niodepth=32\n", "iodepth=32: the engine is synchronous"},
		{"fio", write + "wormth=3\nhotkey=abc\n", "# Not known, and left out: hotkey=..."},
		{"fio", write + "http_s3_key=hunter2\n", "# Credentials are never"},
		{"fio", write + "http_host=b.example.com\nfilename=/o\n", `hosts: ["http://example.com"]`},
		{
			"fio", "fio --ioengine=http --http_mode=s3 --http_host=h:1 --filename=/b/o --size 8k --time_based --runtime=5 --name=a --rw=randread",
			"run: a\n    do: [{get: o, access: shuffle}]\n    load: 1\n    until: 5s",
		},

		{"elbencho", elbenchoRun, `keys: "r{i}/d0/r{i}-f0"`},
		{"elbencho", elbenchoRun + "dirs=0\nfiles=5\ns3objprefix=a/%%%%/\n", `keys: "a/{hash:4}/r{i/5}-f{i%5}"`},
		{"elbencho", elbenchoRun + "timelimit=5\nread=1\n", "a phase that meets the time limit is the last"},
		{"elbencho", elbenchoRun + "write=0\nread=1\ninfloop=1\n", "until: 0"},
		{"elbencho", elbenchoRun + "limitwrite=2m\n", "load: {rate: 4, max-inflight: 2}"},
		{"elbencho", "elbencho --s3endpoints http://h:1 -wr -t4 --read=false --s3secret x bkt[1-3]", "buckets: 3"},

		{"sai3-bench", sai3Run + "}\n", "until: 1m\n"},
		{"sai3-bench", sai3Run + "}\nconcurrency: 64\nio_rate: {iops: max}\n", "load: 64\n"},
		{"sai3-bench", sai3Run + "}\nio_rate: {iops: 50}\n", "load: {rate: 50, arrivals: poisson, max-inflight: 16}"},
		{"sai3-bench", sai3Run + "}\nconcurency: 9\n", "# Not known, and left out: concurency=9 (did you mean concurrency?)"},
		{"sai3-bench", strings.Replace(sai3Run, "op: get", "op: put, object_size: 1_000", 1) + "}\n", `{size: 1KB, keys: "x/obj_{hash:20d}"`},
	} {
		s, err := Lookup(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		job, err := s.Convert("f", tc.text, draft.Given{})
		if err != nil {
			t.Errorf("%s: %q: %v", tc.from, tc.text, err)
		} else if text := job.Conversion().Format(); !strings.Contains(text, tc.want) || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %q becomes\n%s(want %q)", tc.from, tc.text, text, tc.want)
		}
	}
}

// TestNamesOfFioElbenchoSai3: objects have the names that the tools give them, byte for byte.
func TestNamesOfFioElbenchoSai3(t *testing.T) {
	for _, tc := range []struct {
		from, text string
		want       []string
	}{
		{"fio", "[j]\n" + fioJob + "filename=/foo/obj\nrw=write\n", []string{"obj_0_4096", "obj_4096_4096", "obj_8192_4096", "obj_12288_4096"}},
		{"fio", "[fill]\n" + fioJob + "filename=\nfilename_format=/b/$jobname.$jobnum.$filenum\nnumjobs=2\nnrfiles=2\nrw=write\n", []string{
			"fill.0.0_0_4096", "fill.0.0_4096_4096", "fill.0.1_0_4096", "fill.0.1_4096_4096",
			"fill.1.0_0_4096", "fill.1.0_4096_4096", "fill.1.1_0_4096", "fill.1.1_4096_4096",
		}},
		{"elbencho", elbenchoRun + "files=2\n", []string{"r0/d0/r0-f0", "r0/d0/r0-f1", "r1/d0/r1-f0", "r1/d0/r1-f1"}},
		{"elbencho", elbenchoRun + "files=2\ndirs=0\n", []string{"r0-f0", "r0-f1", "r1-f0", "r1-f1"}},
		{"elbencho", elbenchoRun + "files=2\ndirs=2\ndirsharing=1\n", []string{
			"r0/d0/r0-f0", "r0/d0/r0-f1", "r0/d1/r0-f0", "r0/d1/r0-f1", "r0/d0/r1-f0", "r0/d0/r1-f1", "r0/d1/r1-f0", "r0/d1/r1-f1",
		}},
		{
			"sai3-bench", "target: s3://lab/\nprepare: {ensure_objects: [{base_uri: s3://lab/data/, count: 43}]}\nworkload:\n  - {op: get, path: data/}\n",
			append(slices.Repeat([]string{""}, 42), "data/prepared-00000042.dat"),
		},
	} {
		s, err := Lookup(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		job, err := s.Convert("f", tc.text, draft.Given{})
		if err != nil {
			t.Errorf("%s: %q: %v", tc.from, tc.text, err)
			continue
		}
		set := job.File.Data[0]
		keys := generator.NewKeys(generator.Spec{Keys: set.Keys.Text}, 1, 1)
		for i, want := range tc.want {
			if got := keys.Key(uint64(i)); want != "" && got != want {
				t.Errorf("%s: object %d is %s, want %s", tc.from, i, got, want)
			}
		}
		if n := len(tc.want); set.Objects.Text != draft.Number(n).Text {
			t.Errorf("%s: %s objects, want %d", tc.from, set.Objects.Text, n)
		}
	}
}

// TestFilesOfCommands: command lines read their files, which may include others, and variables of the script.
func TestFilesOfCommands(t *testing.T) {
	files := map[string]string{
		"j.fio":      "[global]\ninclude common.inc\n[fill]\nrw=write\nbs=${BS}k\n[read]\nrw=read\n",
		"common.inc": strings.ReplaceAll(fioJob, "bs=4k\n", ""),
		"wrong.fio":  "[wrong]\ninclude common.inc\nbs=4q\n",
		"wrong.cfg":  elbenchoRun + "block=4KiB\n",
		"wrong.yaml": sai3Run + "}\nduration: soon\n",
		"e.cfg":      elbenchoRun + "# comment\nfiles=7\n",
		"s.yaml":     sai3Run + "}\nprepare: {ensure_objects: [{base_uri: s3://lab/x/, count: 5}]}\n",
	}
	for _, tc := range []struct {
		tool string
		args []string
		want string
	}{
		{"fio", []string{"j.fio", "--section", "fill", "--output", "r.txt"}, `keys: "o_{i*8192}_8192"`},
		{"fio", []string{"absent.fio"}, "f:1:2: absent.fio: no such file"},
		{"fio", []string{"--runtime=4q", "j.fio"}, "j.fio: runtime: invalid value \"4q\" (want a time"},
		{"fio", []string{"j.fio", "wrong.fio"}, "f:1:3: bs: invalid value \"4q\""},
		{"fio", []string{"wrong.fio"}, "wrong.fio:3:1: bs: invalid value \"4q\""},
		{"elbencho", []string{"-c", "e.cfg", "-t", "1", "bkt"}, "objects: 7"},
		{"sai3-bench", []string{"run", "--config", "s.yaml", "--prepare-only"}, "do: [{put: prepared}]\n    load: 16\n    until: {ops: 5}"},
		{"sai3-bench", []string{"run", "--config", "s.yaml", "--skip-prepare"}, "existing: true"},
		{"fio", []string{"j.fio", "--output", "r.txt"}, "A run of this file writes r.txt at the end; a scenario does not: warp analyze\n"},
		{"elbencho", []string{"-w", "--jsonfile", "r.json", "bkt"}, "warp analyze --json\n"},
		{"elbencho", []string{"-c", "wrong.cfg", "bkt"}, "f:1:2: block: invalid value \"4KiB\""},
		{"sai3-bench", []string{"run"}, "without --config"},
		{"sai3-bench", []string{"run", "--config=wrong.yaml"}, "wrong.yaml:4:11: duration: invalid value \"soon\""},
	} {
		s, err := Lookup(tc.tool)
		if err != nil {
			t.Fatal(err)
		}
		c := &draft.Command{
			Program: tc.tool,
			At:      script.Pos{Line: 1, Column: 1},
			Getenv:  func(name string) string { return map[string]string{"BS": "8"}[name] },
			ReadFile: func(name string) (string, error) {
				if text, ok := files[name]; ok {
					return text, nil
				}
				return "", errors.New("no such file")
			},
		}
		for i, a := range tc.args {
			c.Args = append(c.Args, draft.Word{Text: a, At: script.Pos{Line: 1, Column: i + 2}})
		}
		job, err := s.ConvertCommand("f", c)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = job.Conversion().Format()
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s %q:\n%s\nwant %s", tc.tool, tc.args, got, tc.want)
		}
	}
}

// TestDetectFioElbenchoSai3: a file that only resembles a tool's is not taken for it.
func TestDetectFioElbenchoSai3(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"[global]\nioengine=libaio\n", ""},
		{"[global]\n ioengine = http \n", "fio"},
		{"[client]\nwrite=1\nthreads=4\n", ""},
		{"write=1\nthreads=4\n", "elbencho"},
		{"threads=4\n", ""},
		{"threads=4\nwrite=1\ncurl http://h\n", ""},
		{"recordcount=1\nreadproportion=1\nthreadcount=4\n", "ycsb"},
		{"workload: a\nop: b\n", "sai3-bench"},
		{"workload:\n  - path: a\n", ""},
		{"tests:\n  - name: workload\n    read_weight: 1\n", "gosbench"},
		{"sudo /opt/elbencho/elbencho -w -t 4 bkt\n", "elbencho"},
		{"for i in 1 2; do fio --name=$i --ioengine=http; done\n", "fio"},
		{"# fio, elbencho\necho hello\n", ""},
		{"warp: 1\nphases: []\n# op: workload:\n", ""},
	} {
		name := ""
		if found, ok := Detect(tc.text); ok {
			name = found.Name
		}
		if name != tc.want {
			t.Errorf("%q is taken for %q, want %q", tc.text, name, tc.want)
		}
	}
}
