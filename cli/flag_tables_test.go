package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/usage"
)

// Each flag of a command: its name, its default ("-" without one) and its variable.
const (
	targetTable = `
		host        -        AWS_ENDPOINT_URL_S3 AWS_ENDPOINT_URL
		access-key  -
		secret-key  -
		session-token -
		sas-token -
		token -
		gcs-api -
		gcs-project -
		store auto
		tls         false
		insecure    false
		region      -
		lookup      -
		signature   S3V4
		bucket      warp-benchmark-bucket
		host-select weighed
		min-hosts   0
		preflight   on
		encrypt     false
		retries     0
		engine      auto
		realtime    false
		disable-keepalive false
		resolve-host false
		redirect-to -
		local-addr  -
		timeout     2m0s
		dial-timeout 10s
		idle-timeout 2m0s
		expect-continue false
		debug       false`
	otherTable = `
		checksum      -
		checksum-trailer false
		md5           false
		payload       -
		sse-s3        false
		sse-kms       -
		sse-bucket-key false
		storage-class -
		gcs-upload media
		acl           -
		add-metadata  -
		tag           -
		obj.randsize  false
		obj.content   random
		buckets       1
		prefix        -
		keys          -
		noprefix      false
		noclear       false
		keep-data     false
		overwrite-kept false
		assume -
		force         false
		seed          0
		data.seed     0
		concurrent    20
		duration      5m0s
		rate          -
		rps-limit     0
		arrivals      even
		max-inflight  0
		max-late      0s
		autoterm      false
		autoterm.dur  15s
		autoterm.pct  7.5
		autoterm.slope 0
		syncstart     -
		ok            -
		benchdata     -
		max-errors    0
		serverprof    -
		ui            -`
	reportTable = `
		quiet         false
		json          false
		no-color      false
		analyze.dur   0s
		analyze.skip  0s
		analyze.op    -
		analyze.host  -
		analyze.out   -
		analyze.v     false
		report        auto
		histogram     false
		analyze.window active
		html          -
		summary-md    -
		junit         -
		overwrite     false`
	existingTable = `
		list-existing false
		list-flat     false`
	rangeTable = `
		range         false
		range-size    -
		verify        false`
	conditionsTable = "\nif-match -\nif-none-match -"
	gateTable       = "\nfail-if -"
	pushTable       = "\notlp -\nremote-write -\ninfluxdb - WARP_INFLUXDB_CONNECT\npush-interval 10s"
	httpTable       = "\nhttp -\nhttp-token-file -\nhttp-linger 0s"
	meshTable       = "\ntoken-file -\ntls-cert -\ntls-key -\ntls-ca -"
	revisitTable    = `
		host        -
		access-key  -
		secret-key  -
		session-token -
		sas-token -
		token -
		gcs-api -
		store auto
		sts-web-token -
		credentials-file -
		ca-file     -                     AWS_CA_BUNDLE
		cert-file   -
		key-file    -
		tls-server-name -
		tls-min-version 1.2
		tls         false
		insecure    false
		region      -
		lookup      -
		signature   S3V4
		resolve-host false
		redirect-to -
		quiet       false`
	doctorTable = `
		host        -        AWS_ENDPOINT_URL_S3 AWS_ENDPOINT_URL
		access-key  -
		secret-key  -
		session-token -
		sas-token -
		token -
		gcs-api -
		gcs-project -
		store auto
		sts-web-token -
		credentials-file -
		tls         false
		ca-file     -                     AWS_CA_BUNDLE
		cert-file   -
		key-file    -
		tls-server-name -
		tls-min-version 1.2
		insecure    false
		region      -
		lookup      -
		signature   S3V4
		bucket      warp-benchmark-bucket
		engine      auto
		resolve-host false
		redirect-to -
		local-addr  -
		timeout     2m0s
		dial-timeout 10s
		idle-timeout 2m0s
		debug       false
		quiet       false
		json        false
		no-color    false`
	traceTable     = "\ncolumns -\nmax-bad 1%\nonly -\nof-bucket -\nfrom 0s\nto 0s\nscale -\ncompress-idle 0s"
	benchmarkTable = targetTable + "\nsndbuf 0\nrcvbuf 0\ntcp-nodelay true\nca-file - AWS_CA_BUNDLE\ncert-file -\nkey-file -\ntls-server-name -\ntls-min-version 1.2\nstress false\nops -\nbytes -\npasses 0\nwarmup 0s\nthink -\nstop-on-full false\nbackoff 50ms\nsts-web-token -\ncredentials-file -\nhttp2 false" + otherTable + reportTable + gateTable + httpTable + pushTable + "\nwarp-client -\nwait-clients 0s\nshared-data false" + meshTable + "\nprint-scenario false\ncompat -\npart.put -"
)

var flagTables = map[string]string{
	"get":    benchmarkTable + "\naccess -" + existingTable + rangeTable + conditionsTable + "\npresign false\nobjects 2500\nobj.size 10MiB\npart.size -\npart.get -\npart.concurrent 5\nversions 1",
	"put":    benchmarkTable + "\naccess -" + conditionsTable + "\nobjects 0\nobj.size 10MiB\nverify false\npost false\npresign false",
	"delete": benchmarkTable + "\naccess -" + existingTable + "\nobjects 25000\nobj.size 1KiB\nbatch 100\nlist-deleted false\nif-match -\nversions 1",
	"list":   benchmarkTable + "\naccess -" + existingTable + "\nobjects 10000\nobj.size 1KB\nmax-keys 100\npage false\nstart-after false\ndelimiter -\nlist-version 2\nmetadata false\nfetch-owner false\nversions 1",
	"stat":   benchmarkTable + "\naccess -" + existingTable + conditionsTable + "\nobjects 10000\nobj.size 1KB\nversions 1",
	"mixed": benchmarkTable + "\naccess -" + rangeTable + conditionsTable + "\nobjects 2500\nobj.size 10MiB\n" +
		"get-distrib 45\nstat-distrib 30\nput-distrib 15\ndelete-distrib 10\nlist-distrib 0\ncopy-distrib 0\n" +
		"multipart-copy-distrib 0\nmultipart-get-distrib 0\npresign-get-distrib 0\nversioned-distrib 0\nmultipart-distrib 0\nappend-distrib 0\n" +
		"retention-put-distrib 0\nretention-get-distrib 0\nlegal-hold-put-distrib 0\nlegal-hold-get-distrib 0\npost-distrib 0\npresign-put-distrib 0\n" +
		"contend-distrib 0\nsnowball-distrib 0\nobjs.per 10\nzip-distrib 0\nfiles 100\nfanout-distrib 0\nrename-distrib 0\nselect-distrib 0\ncopies 10\n" +
		"tag-get-distrib 0\ntag-put-distrib 0\ntag-delete-distrib 0\nattributes-distrib 0\nacl-distrib 0\nhead-bucket-distrib 0\n" +
		"multipart-put-distrib 0\npart.size 5MiB\npart.concurrent 5",
	"versioned": benchmarkTable + "\naccess -" + rangeTable + "\nobjects 250\nobj.size 10MiB\n" +
		"get-distrib 45\nstat-distrib 30\nput-distrib 15\ndelete-distrib 10",
	"retention":     benchmarkTable + "\naccess -\nobjects 25000\nobj.size 1KiB\nversions 5\nput-distrib 100\nget-distrib 0",
	"legal-hold":    benchmarkTable + "\naccess -\nobjects 10000\nobj.size 1KiB\nversions 1\nput-distrib 50\nget-distrib 50",
	"tag":           benchmarkTable + "\naccess -" + existingTable + "\nobjects 10000\nobj.size 1KiB\nget-distrib 60\nput-distrib 30\ndelete-distrib 10",
	"attributes":    benchmarkTable + "\naccess -" + existingTable + "\nobjects 10000\nobj.size 1KB",
	"select":        benchmarkTable + "\naccess -" + existingTable + "\nobjects 2500\nobj.size 10MiB\nquery SELECT s._1 FROM S3Object s\nverify false",
	"acl":           benchmarkTable + "\naccess -" + existingTable + "\nobjects 10000\nobj.size 1KB",
	"head-bucket":   benchmarkTable + "\nobj.size 1KiB",
	"create-bucket": benchmarkTable + "\nobj.size 1KiB\nextra-buckets 0\nnamed-buckets false",
	"delete-bucket": benchmarkTable + "\nobj.size 1KiB\nextra-buckets 0\nnamed-buckets false",
	"append":        benchmarkTable + "\nparts 10000\nhead false\nobj.size 10MiB",
	"rename":        benchmarkTable + "\nobjects 10000\nobj.size 1KiB",
	"copy":          benchmarkTable + "\naccess -\nobjects 250\nobj.size 10MiB\npart.size -\npart.concurrent 5\ncompose 0",
	"contend":       strings.Replace(benchmarkTable, "keys          -", "", 1) + "\naccess -\nobj.size 1KiB\nkeys 1\ncontend-pause 10ms",
	"snowball":      benchmarkTable + "\nobj.size 512KiB\nobjs.per 50\ncompress false",
	"zip":           benchmarkTable + "\naccess -\nobj.size 10KiB\nfiles 10000\nverify false",
	"fanout":        benchmarkTable + "\nobj.size 1MiB\ncopies 100",
	"multipart": benchmarkTable + "\naccess -\nobj.size 1000MiB\n" +
		"part.size 5MiB\nparts 0\nverify false",
	"multipart-put": benchmarkTable + "\nobj.size 100MiB\n" +
		"part.size 5MiB\npart.concurrent 20\nparts 0",
	"analyze": reportTable + gateTable + httpTable + "\neach false\nformat -\nparquet -\ncompat -",
	"cmp": strings.Replace(reportTable, "analyze.out   -", "", 1) + gateTable +
		"\nbefore -\nafter -\nthreshold 0\nconfidence 95",
	"merge":  reportTable + "\nbenchdata -",
	"clean":  revisitTable + "\ndry-run false\nforce false\nseed 0\nbucket warp-benchmark-bucket\nprefix -\nnoprefix false\nconcurrent 256",
	"verify": revisitTable + "\nsample 100\nfrom 0\nconcurrent 20\njson false",
	"doctor": doctorTable,
	"replay": withoutRows(benchmarkTable, "keys", "obj.randsize", "concurrent", "duration", "rate", "rps-limit", "arrivals", "autoterm", "autoterm.dur", "autoterm.pct", "autoterm.slope", "ops", "bytes", "passes", "warmup", "think", "print-scenario", "shared-data") +
		traceTable + "\npart -\nthink -\nspeed 1\nloop false\nkeys hash\nmissing create\nduration 0s",
	"trace": traceTable + "\nquiet false\njson false\nno-color false\noverwrite false\nout -\nnames -\nhtml -",
	"run": withoutRows(benchmarkTable, "assume", "data.seed", "obj.randsize", "obj.content", "keys", "prefix", "noprefix", "concurrent", "duration", "rate", "rps-limit", "arrivals", "max-inflight", "max-late", "ops", "bytes", "passes", "warmup", "think",
		"autoterm", "autoterm.dur", "autoterm.pct", "autoterm.slope", "buckets", "ok", "print-scenario") + "\nset -\nfrom -\nscript -\ncheck false\nexplain false\nprices -\nallow -\nallow-exec false\nsmall false",
	"baseline":   withoutRows(benchmarkTable, "acl", "add-metadata", "arrivals", "assume", "compat", "part.put", "autoterm", "autoterm.dur", "autoterm.pct", "autoterm.slope", "buckets", "bytes", "checksum", "checksum-trailer", "concurrent", "data.seed", "duration", "force", "keep-data", "keys", "max-inflight", "max-late", "md5", "noclear", "noprefix", "obj.content", "obj.randsize", "ok", "ops", "overwrite-kept", "passes", "payload", "prefix", "print-scenario", "rate", "rps-limit", "seed", "sse-bucket-key", "sse-kms", "sse-s3", "storage-class", "syncstart", "tag", "think", "warmup", "gcs-upload") + "\nprint false\nexplain false",
	"script":     "",
	"search":     "",
	"sweep":      "",
	"client":     meshTable + httpTable + pushTable + "\nkeep 20\nquiet false",
	"serve":      "",
	"version":    "",
	"help":       "",
	"completion": "",
}

// withoutRows returns a table without the rows of some flags.
func withoutRows(table string, flags ...string) string {
	var rows []string
	for row := range strings.Lines(table) {
		if f := strings.Fields(row); len(f) > 0 && !slices.Contains(flags, f[0]) {
			rows = append(rows, strings.TrimSpace(row))
		}
	}
	return strings.Join(rows, "\n")
}

func TestFlagsAndDefaults(t *testing.T) {
	env, _ := testEnv(benchmarks()...)
	commands := slices.DeleteFunc(root(&env).Commands, func(c *cli.Command) bool { return c.Hidden })
	if len(commands) != len(flagTables) {
		t.Errorf("%d commands, the table has %d", len(commands), len(flagTables))
	}
	for _, c := range commands {
		var want, got []string
		for line := range strings.Lines(flagTables[c.Name]) {
			if line = strings.Join(strings.Fields(line), " "); line != "" {
				want = append(want, line)
			}
		}
		for _, f := range c.Flags {
			if f := f.(usage.HelpFlag); f.IsVisible() {
				got = append(got, tableRow(f))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Errorf("%s lacks %q", c.Name, row)
			}
		}
		for _, row := range got {
			if !slices.Contains(want, row) {
				t.Errorf("%s has %q, which is not in the table", c.Name, row)
			}
		}
	}
}

func tableRow(f usage.HelpFlag) string {
	d := strings.Trim(f.GetValue(), `"`)
	if _, generic := f.(*cli.GenericFlag); generic && d == "" {
		d = f.GetDefaultText()
	}
	if d == "" {
		d = "-"
	}
	return strings.Join(append([]string{f.Names()[0], d}, usage.OtherVariables(f)...), " ")
}
