package convert

import (
	"strings"
	"testing"

	"warp/pkg/script/convert/draft"
)

// TestErrors: what cannot be converted, or would mislead, is an error that says where it is and what is wanted.
func TestErrors(t *testing.T) {
	statement := func(s string) string { return "PUT 10 OBJECTS MAX 1 CONCURRENT; " + s }
	work := func(attrs, op string) string {
		return `<workload><workflow><workstage name="m"><work name="w" ` + attrs + `>` + op + `</work></workstage></workflow></workload>`
	}
	osbLine := func(option string) string {
		return `java -jar osb.jar --base-uri=http://h --script='PUT 1 OBJECT' ` + option
	}
	const read = `<operation type="read" config="objects=u(1,10)"/>`
	const gosbench = "tests:\n  - {name: a, read_weight: 1"
	checkErrors(t, []errorCase{
		{"object-store-bench", "", "nothing is measured"},
		{"object-store-bench", "PUTT 10 OBJECTS", `f:1:1: unexpected "PUTT" (did you mean PUT?)`},
		{"object-store-bench", "PUT 10 OBJECTS;\nGET OBJECTS\n  FOR 30 SECONDS\n  AT RATE 10 PER SEONCD;\n", `f:4:18: unexpected "SEONCD" (did you mean SECOND?)`},
		{"object-store-bench", "PUT 10 OBJECTS; FETCH; GET 5 BOOKS", "PUT 10 OBJECTS; FETCH; GET 5 BOOKS\n       |                 ^\nf:1:30: unexpected \"BOOKS\" (want OBJECTS or OBJECT)"},
		{"object-store-bench", "GET 5 OBJECTS", `f:1:1: object context "default" does not exist; PUT or REUSE objects first`},
		{"object-store-bench", "PUT AT RATE 10", "PUT needs a number of objects, RUNTIME, or both"},
		{"object-store-bench", statement("GET MAX 2 CONCURRENT"), "GET needs a number of objects, RUNTIME, or both"},
		{"object-store-bench", statement("GET RUNTIME 1 SECOND"), "unlimited; add AT RATE or MAX n CONCURRENT"},
		{"object-store-bench", statement("GET 11 OBJECTS"), `f:1:38: 11 objects, but context "default" has 10`},
		{"object-store-bench", statement("DELETE; GET 1 OBJECT"), `context "default" has no objects left`},
		{"object-store-bench", "PUT RUNTIME 1 SECOND MAX 1 CONCURRENT; PUT 1 OBJECT OF SIZE 1 B", "f:1:40: how many objects of 1048576 bytes an earlier PUT with RUNTIME makes is not known"},
		{"object-store-bench", statement("PUT 1 OBJECT USING NAMING STRATEGY RANDOM PREFIX"), "another naming strategy or seed"},
		{"object-store-bench", statement("REUSE 1 OBJECT USING NAMING STRATEGY RANDOM PREFIX WITH SEED \"a\""), "exists already"},
		{"object-store-bench", "REUSE 5 OBJECTS", "REUSE needs the clause USING NAMING STRATEGY"},
		{"object-store-bench", "REUSE 5 OBJECTS USING NAMING STRATEGY CONSTANT PREFIX WITH SEED \"a\"; PUT 5 OBJECTS", "has objects of REUSE, which PUT would overwrite"},
		{"object-store-bench", statement("GET 1 OBJECT OF SIZE 1 MB"), "f:1:47: GET has no clause OF SIZE"},
		{"object-store-bench", statement("GET 1 OBJECT 2 OBJECTS"), "n OBJECTS is there twice"},
		{"object-store-bench", statement("GET 1 OBJECT AT RATE 0 PER SECOND"), "a rate of 0 sends nothing"},
		{"object-store-bench", statement("GET 1 OBJECT IN CONTEXT \"a"), "a name without closing quote"},
		{"object-store-bench", "/* PUT 10 OBJECTS", `f:1:1: unexpected a comment without closing */ (want `},
		{"object-store-bench", "PUT 10 OBJECTS; GETT 1 OBJECT", `f:1:17: unexpected "GETT" (did you mean GET?)`},
		{"object-store-bench", "PUT 10 OBJECTS MAXX 1 CONCURRENT", `unexpected "MAXX" (did you mean MAX?)`},
		{"osb", osbLine("--implementation=gce"), "f:1:63: --implementation gce (want aws, awsUrlConnection, awsApache, awsNetty, gcs or adls)"},
		{"osb", osbLine("--implementation=gcs --gcp-grpc"), "f:1:84: --gcp-grpc: only requests over HTTP are measured; leave it out"},
		{"osb", osbLine("--implementation=adls --adls-write-block-size=1M"), "--adls-write-block-size 1M (want a number of bytes)"},
		{"osb", osbLine("--implementation=awsapachee"), "(want aws, awsUrlConnection, awsApache, awsNetty, gcs or adls)"},
		{"osb", osbLine("--buckett=b"), "unknown option --buckett (did you mean --bucket?)"},
		{"osb", osbLine("--bucket"), "--bucket: missing value"},
		{"osb", osbLine("stray"), "unknown argument stray"},
		{"osb", osbLine("--http-max-concurrency=0"), "--http-max-concurrency 0 (want a number, 1 or more)"},
		{"osb", osbLine("--stats-interval=soon"), "want a duration, as in PT1S"},
		{"osb", osbLine("--signature-version=V9"), "want V4 or V2"},
		{"osb", "java -jar osb.jar --base-uri=http://h --script='PUT 1 OBJECT;\n GETT'", `f:2:2: unexpected "GETT" (did you mean GET?)`},
		{"osb", "java -jar osb.jar --base-uri=http://h --bucket=b", "there are no statements (want --script or -i)"},
		{"osb", "java -jar osb.jar --base-uri=http://h -i s.osb", "-i s.osb: no file is read here"},
		{"osb", "--base-uri=http://h\n--script='PUT 1 OBJECT;\n GETT'", `f:3:2: unexpected "GETT" (did you mean GET?)`},

		{"hsbench", "echo hello", "there is no command line of hsbench"},
		{"hsbench", "hsbench -m p\nhsbench -m g", "f:2:1: a second command line of hsbench (want one in a file)"},
		{"hsbench", "-t 2\n  -z 4K -t 0\n", "f:2:9: -t 0 (want at least 1)"},
		{"hsbench", "-t 2; rm x", "there are commands behind the options of hsbench"},
		{"hsbench", "\n -m q", "f:2:2: -m q: unknown letter"},
		{"hsbench", "-t many", `f:1:4: invalid value "many" for flag -t (want a number)`},
		{"hsbench", "-zd=maybe", `f:1:1: invalid boolean value "maybe" for -zd (want true or false)`},
		{"hsbench", "hsbench -m q", `unknown letter 'q'`},
		{"hsbench", "hsbench -t 4 -z 1X", `f:1:14: -z "1X" (want for example 4K, 1.5MB or 1GiB)`},
		{"hsbench", "hsbench -d -1", "-n and -d are both without limit"},
		{"hsbench", "hsbench -z 9E", `-z "9E" is too large`},
		{"hsbench", "hsbench -m g", "set their number with -n"},
		{"hsbench", "hsbench -m pdg", "g has no objects: this run has not made any yet, or deleted them"},
		{"hsbench", "hsbench -m px", "put d or c before it"},
		{"hsbench", "hsbench -n 5 -m gp", "-m gp: g has no objects"},
		{"hsbench", "hsbench -m \"\"", "nothing is measured"},
		{"hsbench", "hsbench -t four", `invalid value "four" for flag -t`},
		{"hsbench", "hsbench -t $(curl h)", "f:1:12: the output of curl h is not known"},
		{"fio", "[global]\nioengine=http\nhttp_mode=s3\nhttp_host=h\nbs=4k\nsize=4k\nrw=write\n[\xfc]\nfilename=/b/\xfc\n", "f: names or values are not UTF-8"},
		{"hsbench", "hsbench -x", "flag provided but not defined: -x"},
		{"hsbench", `hsbench "`, "f:1:9: reached EOF"},

		{"s3bench", "s3bench -numClients=300", "-numClients 300 is more than -numSamples 200"},
		{"s3bench", "s3bench -operations=delete", "want write, read, both or ranges"},
		{"s3bench", "s3bench -multipart -partSize 1024", "-partSize 1024 (want at least 5242880)"},
		{"s3bench", "s3bench -operations=ranges -rangeSize 2 -objectSize 1", "-rangeSize 2 is more than -objectSize 1"},

		{"warp", "warp:\n  api: v1\n  benchmark: nothing\n", `f:3:14: benchmark "nothing" cannot be a scenario`},
		{"warp", "warp:\n  api: v2\n  benchmark: get\n", `f:2:8: api "v2" (want v1)`},
		{"warp", "warp:\n  api: v1\n  benchmark: get\n  params:\n    speed: 9\n", `f:5:12: unknown key "speed" of the benchmark get`},
		{"warp", "warp:\n  api: v1\n  benchmark: put\n  params:\n    obj:\n      size: {{.Size}}\n", "f:6: the file is a template; set its variables with --var NAME=VALUE"},

		{"cosbench", "<workload>", "invalid XML"},
		{"cosbench", "<workload name=\"<accesskey>\">", "f:1: invalid XML: unescaped < inside quoted string; write what <accesskey>, for example, stands for"},
		{"cosbench", "<?xml version='1.0' encoding='UTF-32'?><workload/>", `encoding "utf-32" (want UTF-8, ISO-8859-1 or another that contains ASCII)`},
		{"cosbench", "<workload><workflow><workstep/></workflow></workload>", "f:1:21: unknown element <workstep>"},
		{"cosbench", "<workload><auth/><auth/></workload>", "f:1:18: a second <auth> in <workload>, which COSBench refuses too"},
		{"cosbench", work(`workers="1"`, read), `work "w" has no end`},
		{"cosbench", work(`runtime="1"`, read), `work "w" has no workers`},
		{"cosbench", work(`runtime="1" workers="0"`, read), `workers="0" (want at least 1)`},
		{"cosbench", work(`runtime="1" workerz="1"`, read), `<work> has no attribute "workerz`},
		{"cosbench", work(`workers="8" totalOps="5"`, read), `totalOps="5" is less than one for each of 8 workers`},
		{"cosbench", work(`workers="8" runtime="5" config="container=r(1,2)"`, read), `unknown key "container" (did you mean containers?)`},
		{"cosbench", work(`workers="1" runtime="1"`, strings.Replace(read, "/>", ` ratio="90"/>`, 1)), `the ratios of work "w" are 90 together (want 100, as in COSBench)`},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="filewrite"/>`), `operation "filewrite" cannot be converted`},
		{"cosbench", work(`workers="1" runtime="1"`, strings.Replace(read, "read", "write", 1)), `operation "write" has no sizes`},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="restore"/>`), `operation "restore" cannot be converted`},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="read" config="objects=x(1,2)"/>`), "invalid selector"},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="read" config="objects=u(5)"/>`), "the numbers of objects have no end"},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="write" config="objects=u(1,5);sizes=c(1)kb"/>`), `unknown unit "kb" (want B, KB, MB or GB, in capitals)`},
		{"cosbench", work(`workers="1" runtime="1"`, `<operation type="write" config="objects=u(1,5);sizes=h(1|5|1,3|9|1)KB"/>`), "parts of h() must not overlap"},
		{"cosbench", strings.Replace(work(`workers="1" runtime="1"`, read), "<workstage", `<workstage trigger="x.sh"`, 1), `trigger "x.sh": nothing runs a script on the servers; use exec`},
		{"cosbench", `<workload><storage type="swift"/></workload>`, `storage of type "swift" is no S3`},
		{"cosbench", `<workload><storage type="gcs"/></workload>`, `only S3 can be measured; write type="s3", and name its S3 endpoint with --host`},
		{"cosbench", `<workload><storage type="sio" config="is_prefetch=true"/></workload>`, `is_prefetch=true cannot be converted`},

		{"ycsb", "operationcount=0", "recordcount is missing (YCSB would take 2147483647)"},
		{"ycsb", "recordcount=1", "neither operationcount nor maxexecutiontime is set"},
		{"ycsb", "recordcount=1\n\n\nthreadcount=x", "f:4: threadcount=x (want a number)"},
		{"ycsb", "recordcount=1\noperationcount=1\nrequestdistribution=pareto", "f:3: requestdistribution=pareto cannot be converted (want uniform"},
		{"ycsb", "recordcount=1\nrecordcont=1", `unknown property "recordcont"`},
		{"ycsb", "recordcount=10\ninsertstart=5\ninsertcount=6", "insertstart=5 with insertcount=6 is more than recordcount=10, which YCSB refuses too"},
		{"ycsb", "recordcount=10\nworkload=site.ycsb.workloads.TimeSeriesWorkload\ntimestampkey=X", "f:2: workload=site.ycsb.workloads.TimeSeriesWorkload (want CoreWorkload"},
		{"ycsb", "recordcount=10\nfieldlengthdistribution=histogram", "fieldlengthdistribution=histogram cannot be converted"},
		{"ycsb", "recordcount=10\ndataintegrity=true\nfieldlengthdistribution=uniform", "dataintegrity=true with fieldlengthdistribution=uniform, which YCSB refuses too"},

		{"gosbench", "tests:\n  - name: a\n    read_wait: 1\n", `f:3:5: unknown key "read_wait" (did you mean read_weight?)`},
		{"gosbench", "tests:\n  - name: a\n", `test "a" has no weights`},
		{"gosbench", gosbench + "}", "f:2:5: the test has no end (want stop_with_runtime or stop_with_ops)"},
		{"gosbench", gosbench + ", stop_with_runtime: soon}", `stop_with_runtime: invalid value "soon" (want a duration, as in 30s)`},
		{"gosbench", gosbench + ", stop_with_ops: 5, objects: {unit: parsec, number_min: 1}}", `unknown unit "parsec" (want B, KB, MB, GB or TB)`},
		{"gosbench", gosbench + ", stop_with_ops: 5, objects: {number_max: 4}}", "objects.number_min is missing, or 0 (want at least 1)"},
		{"gosbench", gosbench + ", stop_with_ops: -5}", `stop_with_ops: invalid value "-5" (want a whole number, at most 1000000000)`},
		{"gosbench", strings.Replace(gosbench, "read", "existing_read", 1) + ", stop_with_ops: 5}", "existing_read_weight needs bucket_prefix, the name of the bucket"},
		{"gosbench", "tests: {read_weight: *a}\n", "anchors, aliases and tags are not supported"},
	})
}

// errorCase is a file of a tool that can't be converted, and a part of the error.
type errorCase struct{ from, text, want string }

func checkErrors(t *testing.T, cases []errorCase) {
	t.Helper()
	for _, tc := range cases {
		s, err := Lookup(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		job, err := s.Convert("f", tc.text, draft.Given{})
		if err == nil {
			t.Errorf("%s: %q was converted:\n%s", tc.from, tc.text, job.File.Format())
		} else if !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %q: %v; want %s", tc.from, tc.text, err, tc.want)
		}
	}
}

func TestLookup(t *testing.T) {
	if _, err := Lookup("rados"); err == nil || !strings.Contains(err.Error(), `--from: invalid value "rados" (want warp, gosbench,`) {
		t.Error(err)
	}
}
