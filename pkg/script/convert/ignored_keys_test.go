package convert

import (
	"strings"
	"testing"

	"warp/pkg/script/convert/draft"
)

// TestKeysThatChangeNothing: files as other tools ship and save them, with keys that are not known or mean nothing here, are converted. What is left
// out is said.
func TestKeysThatChangeNothing(t *testing.T) {
	const (
		ycsb     = "recordcount=100\noperationcount=100\nworkload=site.ycsb.workloads.CoreWorkload\n"
		cosbench = "<workload><storage type=\"s3\" config=\"endpoint=http://h:1\"/><workflow><workstage name=\"i\">" +
			"<work name=\"i\" type=\"init\" id=\"w1\" ratio=\"100\" workers=\"1\" config=\"containers=r(1,2)\">" +
			"<operation type=\"init\" id=\"o1\" ratio=\"100\" config=\"objects=r(0,0);sizes=c(0)B;containers=r(1,2)\"/></work></workstage>" +
			"<workstage name=\"m\"><work name=\"caf\xe9\" workers=\"1\" rampdown=\"0\" totalOps=\"10\" colour=\"red\">" +
			"<operation type=\"read\" config=\"containers=u(1,2);objects=u(1,2)\"/></work></workstage></workflow></workload>"
		gosbench = "tests:\n  - {name: x, read_weight: 1, objects: {size_min: 1, size_max: 1, number_min: 1, number_max: 1}, " +
			"buckets: {number_min: 1, number_max: 1}, stop_with_runtime: 10s, bucket_prefix: b}\n"
		warp = "warp:\n  api: v1\n  benchmark: "
	)
	for _, c := range []struct{ from, text, want string }{
		{"ycsb", ycsb + "maxscanrate=0\nreadproportion=1\n", "{get: usertable, name: read, weight: 100, access: uniform}"},
		{"ycsb", ycsb + "mongodb.url=m\n", "# Not known, and left out: mongodb.url=m\n"},
		{"ycsb", ycsb + "status.interval=5\n", "get: usertable"},
		{"cosbench", `<?xml version="1.0" encoding="ISO-8859-1"?>` + cosbench, "run: caf\u00e9"},
		{"cosbench", `<?xml version="1.0" encoding="ISO-8859-1"?>` + cosbench, "# Not known, and left out: colour=red\n"},
		{"cosbench", strings.ReplaceAll(cosbench, "\xe9", "e"), `bucket: "mycontainers{b+1}"`},
		{"cosbench", strings.ReplaceAll(cosbench, "caf\xe9", "e\" driver=\"driver3"), "on-clients: [3]"},
		{"gosbench", "s3_config:\n  - {endpoint: http://h, usePathStyle: false}\n" + gosbench, `hosts: ["http://h"]`},
		{"gosbench", "s3_config:\n  - {endpoint: http://h, usePathStyle: true, warmth: 3}\n" + gosbench, "lookup: path"},
		{"gosbench", "s3_config:\n  - {endpoint: http://h, warmth: 3}\n" + gosbench, "# Not known, and left out: warmth=3\n"},
		{"gosbench", "s3_config:\n  - {endpoint: http://h, region: a}\n  - {endpoint: http://i, region: b}\n" + gosbench, "all requests are signed for a here"},
		{"gosbench", strings.Replace(gosbench, "stop", "part_size: 7, stop", 1), "until: 10s"},
		{"gosbench", strings.Replace(gosbench, "stop", "stop_with_ops: 7, stop", 1), "until: 10s"},
		{"warp", warp + "put\n  io: {disable-multipart: true, disable-sha256-payload: true}\n", "do: [{put: objects}]"},
		{"warp", warp + "multipart\n  params: {obj.name: x, ktls: false, colour: false}\n", "# Not known, and left out: colour=false\n"},
		{"warp", warp + "multipart\n  params: {obj: {name: 'a{1}/b'}}\n  io: {no-prefix: true}\n", "objects: {keys: \"a{{1}}/b\", overwrite-kept: true}"},
		{"warp", warp + "put\n  params: {obj: {name: x}}\n", "# Left out: obj.name=x, which only multipart has.\n"},
		{"warp", warp + "put\n  params: {obj: {size: \"1KiB,2KiB\"}}\n", "size: 2KiB"},
		{"", "warp: {api: v1, benchmark: put}\n", "do: [{put: objects}]"},
		{"", "{\"warp\": {api: v1, benchmark: put}}\n", "do: [{put: objects}]"},
	} {
		source, _ := Detect(c.text)
		if c.from != "" {
			var err error
			if source, err = Lookup(c.from); err != nil {
				t.Fatal(err)
			}
		}
		if source == nil {
			t.Errorf("%q is not recognized", c.text)
			continue
		}
		job, err := source.Convert("f", c.text, draft.Given{})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if !strings.Contains(job.File.Format(), c.want) {
			t.Errorf("%q becomes\n%s(want %q)", c.text, job.File.Format(), c.want)
		}
	}
	for _, text := range []string{"warp: 1\n", "{warp: 1}\n", "warp: \"1\"\n"} {
		if source, known := Detect(text); known {
			t.Errorf("%q is taken for a file of %s", text, source.Name)
		}
	}
}
