package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/testkit"
	"warp/pkg/op"
	"warp/pkg/script"
	"warp/pkg/script/convert"
	"warp/pkg/script/convert/draft"
)

// seedCase is the example of another tool, and what a small run of it sends.
type seedCase struct {
	small []string // what is replaced in the file so that it is small, in pairs
	want  map[string]map[op.Kind]int
	size  int64 // of each object
	check func(t *testing.T, s *sent)
}

// most is how many operations a phase sends that would end after a time.
const most = "40"

// seedCases are the examples of manuals and documents of other tools, by their files.
var seedCases = map[string]seedCase{
	"hsbench-seed.sh": {
		small: []string{"-b 10", "-b 4"},
		want:  map[string]map[op.Kind]int{"PUT": {op.Put: 40}, "LIST": {op.List: 40}, "GET": {op.Get: 40}, "DEL": {op.Delete: 40}, "BINIT": {op.CreateBucket: 4}, "BDEL": {op.DeleteBucket: 4}},
		size:  4 << 10, check: usedOnce("DEL", op.Delete, 40),
	},
	"osb-seed.osb": {
		small: []string{"2 MB", "20 KB", "AT RATE 10 PER SECOND", "AT RATE 100 PER SECOND", "WARMUP 20 SECONDS", "WARMUP 1 SECOND"},
		want:  map[string]map[op.Kind]int{"put": {op.Put: 100}, "get": {op.Get: 40}, "get-2": {op.Get: 40}, "delete": {op.Delete: 100}},
		size:  20 << 10,
		check: func(t *testing.T, s *sent) {
			t.Helper()
			usedOnce("delete", op.Delete, 100)(t, s)
			atMost("get", op.Get, 5)(t, s)
			for _, o := range s.of("put") {
				if !strings.HasPrefix(o.Key, "/object-store-bench-") {
					t.Errorf("uploaded %q", o.Key)
				}
			}
		},
	},
	"s3bench-seed.sh": {
		want: map[string]map[op.Kind]int{"write": {op.Put: 10}},
		size: 1024, check: usedOnce("write", op.Put, 10),
	},
	"s3bench-multipart.sh": {
		small: []string{"$((64*1024*1024))", "12582912", "$((8<<20))", "5242880", "-numSamples=20", "-numSamples=4"},
		want: map[string]map[op.Kind]int{
			"write": {op.CreateUpload: 4, op.PutPart: 12, op.CompleteUpload: 4, op.MultipartPut: 4}, "read": {op.GetPart: 12, op.MultipartGet: 4},
		},
		size: 12 << 20, check: usedOnce("read", op.MultipartGet, 4),
	},
	"fio-http-s3.fio": {
		want: map[string]map[op.Kind]int{"fill": {op.Put: 4}, "read": {op.Get: 16}, "remove": {op.Delete: 4}},
		size: 8 << 10, check: usedOnce("remove", op.Delete, 4),
	},
	"elbencho-s3.elbencho": {
		small: []string{"dirs=3", "dirs=1"},
		want: map[string]map[op.Kind]int{
			"write":    {op.CreateUpload: 4, op.PutPart: 8, op.CompleteUpload: 4, op.MultipartPut: 4},
			"stat":     {op.Stat: 4},
			"read":     {op.GetPart: 8, op.MultipartGet: 4},
			"delfiles": {op.Delete: 4},
		},
		size: 10 << 20, check: usedOnce("delfiles", op.Delete, 4),
	},
	"sai3-all.yaml": {
		small: []string{"2_000", "20", "1048576", "4096", "warmup_period: 10s\n", ""},
		want:  map[string]map[op.Kind]int{"workload": {"": 40}},
		size:  4 << 10,
	},
	"warp-mixed.yml": {
		small: []string{"2500", "200", "1MiB", "4KiB"},
		want:  map[string]map[op.Kind]int{"": {"": 40}},
		size:  4 << 10,
	},
	"cosbench.xml": {
		want: map[string]map[op.Kind]int{"main": {"": 40}, "beside": {op.Stat: 100}},
		size: 64e3, check: apart("main", op.Get, op.Put),
	},
	"cosbench-mock.xml":      {want: map[string]map[op.Kind]int{"main": {"": 40}}},
	"cosbench-reusedata.xml": {want: map[string]map[op.Kind]int{"main 16": {"": 992}, "main 32": {"": 960}}, size: 32e3, check: apart("main 32", op.Get, op.Put)},
	"cosbench-splitrw.xml":   {want: map[string]map[op.Kind]int{"main": {"": 40}}, size: 8e3, check: apart("main", op.Get, op.Put)},
	"cosbench-hashcheck.xml": {want: map[string]map[op.Kind]int{"main": {op.Get: 120}}},
	"cosbench-delay.xml":     {want: map[string]map[op.Kind]int{"main": {op.Get: 90}}, size: 4e3},
	"cosbench-saved.xml":     {want: map[string]map[op.Kind]int{"main": {"": 40}}, size: 16e3, check: apart("main", op.Get, op.Put)},
	"cosbench-latin1.xml":    {want: map[string]map[op.Kind]int{"größe": {op.Get: 20}}, size: 1e3},
	"cosbench-prepare.xml":   {want: map[string]map[op.Kind]int{"upload": {op.Put: 18}}, size: 2e3},
	"cosbench-fork.xml": {
		want: map[string]map[op.Kind]int{
			"mwrite": {op.CreateUpload: 8, op.PutPart: 16, op.CompleteUpload: 8, op.MultipartPut: 8},
			"head":   {op.Stat: 40}, "ranges": {op.Get: 40}, "list": {op.List: 4},
		},
	},
	"ycsb-a.properties": {want: map[string]map[op.Kind]int{"run": {"GET:READ": 448, "GET:UPDATE": 452, "PUT:UPDATE": 452}}, size: 1000},
	"ycsb-b.properties": {want: map[string]map[op.Kind]int{"run": {"GET:READ": 857, "GET:UPDATE": 43, "PUT:UPDATE": 43}}, size: 1000},
	"ycsb-c.properties": {want: map[string]map[op.Kind]int{"run": {op.Get: 900}}, size: 1000},
	"ycsb-d.properties": {want: map[string]map[op.Kind]int{"run": {"GET:READ": 857, "PUT:INSERT": 43}}, size: 1000},
	"ycsb-e.properties": {
		small: []string{"operationcount=900", "operationcount=40"},
		want:  map[string]map[op.Kind]int{"run": {"LIST:SCAN": 38, "GET:SCAN": 76, "PUT:INSERT": 2}}, size: 1000,
	},
	"ycsb-f.properties": {
		want: map[string]map[op.Kind]int{"run": {"GET:READ": 448, "GET:READMODIFYWRITE": 452, "GET:READMODIFYWRITE-UPDATE": 452, "PUT:READMODIFYWRITE": 452}},
		size: 1000,
	},
	"gosbench.yaml": {
		small: []string{"north-1", "us-east-1"},
		want:  map[string]map[op.Kind]int{"First look": {"": 30}}, check: apart("First look", op.Get, op.Put),
	},
	"gosbench-example.json": {want: map[string]map[op.Kind]int{"First look": {"": 10}}},
	"gosbench-kinds.yaml": {
		want: map[string]map[op.Kind]int{"All kinds": {"": 60}, "All kinds 2": {op.Get: 40}, "What is there": {op.Get: 40}},
	},
}

// TestSeeds runs the examples of other tools, as small as counts, sizes and times allow, and checks what was sent.
//
// works: hsbench: the default run, `cxiplgdcx`
// works: YCSB: `workload_template` with all its properties, workloads a to f
// works: YCSB: the S3 binding reads an object before it updates it
// works: COSBench: files as the controller saves them, with all attributes
// works: COSBench: an operation uses some of the containers: `containers=u(5,8)`
// works: COSBench: `h(1\|5\|60,6\|20\|20)` weights the parts of objects and containers
// works: COSBench: a stage named `delay` waits
// works: COSBench: encodings other than UTF-8
// works: COSBench: `sio`, `mprepare`, `head` and ranges of the fork of sine-io
// works: gosbench: its example, as YAML and as JSON
// works: gosbench: each object belongs to one kind of operation, and they are used in order
func TestSeeds(t *testing.T) {
	t.Parallel()
	host, keys := serveForTest(t)
	for i, name := range slices.Sorted(maps.Keys(seedCases)) {
		if !testkit.InTurn(t, i) {
			continue
		}
		c := seedCases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("../pkg/script/convert/testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			source := strings.NewReplacer(c.small...).Replace(string(text))
			from, ok := convert.Detect(source)
			if !ok {
				t.Fatal("it is not recognized")
			}
			job, err := from.Convert(name, source, draft.Given{Vars: map[string]string{"Size": "4KiB"}})
			if err != nil {
				t.Fatal(err)
			}
			shorten(job.File)
			path := filepath.Join(t.TempDir(), strings.ReplaceAll(name, ".", "-")+".warp.yaml")
			if err := os.WriteFile(path, []byte(job.File.Format()), 0o600); err != nil {
				t.Fatal(err)
			}
			r := scenarioTest{host: host, keys: keys, path: path, args: []string{"--region=us-east-1"}, seed: 1}
			s := r.run(t)
			s.check(t)
			if format := map[string]string{"hsbench": "hsbench", "object-store-bench": "osb", "s3bench": "s3bench"}[from.Name]; format != "" {
				s.inFormat(t, format)
			}
			for stream, want := range c.want {
				counts := map[op.Kind]int{}
				for _, o := range s.of(stream) {
					counts[kindOf(&o)]++
					if c.size > 0 && o.Bytes != c.size && o.Bytes > 0 && o.Kind != op.PutPart && o.Kind != op.GetPart {
						t.Errorf("%s: %s of %d bytes, want %d", stream, o.Kind, o.Bytes, c.size)
					}
				}
				if n, ok := want[""]; ok && len(s.of(stream)) == n {
					continue
				}
				if !maps.Equal(counts, want) {
					t.Errorf("%s sent %v, want %v", stream, counts, want)
				}
			}
			if c.check != nil {
				c.check(t, s)
			}
		})
	}
}

// TestSamplesAreValid: files as other tools ship and save them are valid, without credentials and as they stand.
func TestSamplesAreValid(t *testing.T) {
	for _, tool := range []string{"ycsb", "cosbench", "gosbench"} {
		files, err := filepath.Glob("../pkg/script/convert/testdata/" + tool + "*")
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, ".warp.yaml") })
		for _, name := range files {
			if code, out, errs := readWith([]string{"run", "--check", "FILE"}, name); code != process.ExitOK {
				t.Errorf("%s: exit code %d: %s%s", name, code, out, errs)
			}
		}
		if len(files) < 4 {
			t.Errorf("only %d samples of %s", len(files), tool)
		}
	}
}

// shorten lets phases that last for a time end after a few operations, and leaves out what needs a store with contents.
func shorten(f *script.File) {
	existing := map[string]bool{}
	for i := range f.Data {
		f.Data[i].Keep = script.Value{}
		existing[f.Data[i].Name] = !f.Data[i].Existing.IsZero()
	}
	f.Data = slices.DeleteFunc(f.Data, func(d script.DataSet) bool { return existing[d.Name] })
	f.Phases = slices.DeleteFunc(f.Phases, func(ph script.Phase) bool { return len(ph.Do) > 0 && existing[ph.Do[0].Set.Text] })
	var each func(list []script.Phase)
	each = func(list []script.Phase) {
		for i := range list {
			ph := &list[i]
			each(ph.Parallel)
			each(ph.Phases)
			if !ph.Wait.IsZero() {
				ph.Wait = script.Text("1ms")
			}
			if !ph.Warmup.IsZero() {
				ph.Warmup = script.Text("100ms")
			}
			if u := &ph.Until; !u.Time.IsZero() {
				u.Time = script.Text("1h")
				if u.Ops.IsZero() && u.Passes.IsZero() {
					u.Ops = script.Text(most)
				}
			}
		}
	}
	each(f.Phases)
}
