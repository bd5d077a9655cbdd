package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// Topic is a page of help about the values of flags.
type Topic struct {
	Name, Title string
	About       string
	Forms       [][2]string // a value, and what it means
	Examples    []string    // commands
	Values      bool        // completion offers the forms as values
}

// environment is the topic about variables, which has a section of its own in warp(1).
const environment = "environment"

// Topics are the topics of "warp help".
var Topics = []Topic{
	{
		Name:  "hosts",
		Title: "hosts of a store, and clients: --host, --warp-client",
		About: "Several are separated by commas. Without --host, warp measures the endpoint_url of the AWS profile, or else its embedded " +
			"server. Clients have no scheme, and port 7761 unless another one is given.",
		Forms: [][2]string{
			{"s3.example.com", "port 80, or 443 with --tls"},
			{"s3.example.com:9000", "another port; [IPv6]:9000"},
			{"https://s3.example.com", "a URL; https:// is the same as --tls"},
			{"10.0.0.{1...10}:9000", "a range of numbers, anywhere and more than once; {01...10} keeps leading zeros"},
			{"file:hosts.txt", "one host per line"},
			{"gs://BUCKET", "Google Cloud Storage, by its own interface"},
			{"az://ACCOUNT", "Azure Blob Storage; --bucket is the container"},
		},
		Examples: []string{
			"warp get --host=10.0.0.{1...4}:9000",
			"warp get --host=s3.example.com --tls --warp-client=client-{1...4}",
			"warp get --host=gs://my-bucket",
			"warp get --host=az://myaccount --bucket=mycontainer",
		},
	},
	{
		Name: "sizes", Values: true,
		Title: "sizes of objects: --obj.size, --obj.randsize",
		About: "KB is 1000 bytes, KiB is 1024.",
		Forms: [][2]string{
			{"10MiB", "all objects have this size; with --obj.randsize, random sizes up to it: equally many in each of the top seven " +
				"doublings, and in the range below them (under 1/128 of the maximum, or 256 bytes)"},
			{"1KiB,10MiB", "with --obj.randsize: random sizes from 1 KiB to 10 MiB"},
			{"4096:10740,8192:1685", "weighted classes: sizes below 4096 and from 4096 to 8191, in the ratio 10740 to 1685"},
			{"uniform(1KiB,1MiB)", "any size from 1 KiB to 1 MiB; with step=1KiB only multiples of 1 KiB from 1 KiB on"},
			{"log2(1KiB,1MiB)", "equally many in each doubling; log2(1MiB) is the same as 1MiB with --obj.randsize"},
			{"lognormal(median=1MiB,sigma=0.8,max=64MiB)", "many small objects, few large ones; sizes outside min (1) and max (six standard " +
				"deviations) are drawn again"},
			{"normal(1MiB,200KiB,min=64KiB)", "normal, by mean and standard deviation; bounds as above"},
			{"hist(4KiB:60,64KiB:30)", "same as 4KiB:60,64KiB:30"},
			{"sequence(1MiB:100,2MiB:100)", "the first 100 objects have 1MiB, the next ones 2MiB"},
			{"choice(4KiB:60,1MiB:1)", "exactly these sizes, by weight"},
			{"file(sizes.csv)", "sizes from a file, one per line, with an optional weight after a comma; up to 10,000"},
			{"preset(NAME)", "sizes of files in MLPerf Storage: mlperf-unet3d, mlperf-cosmoflow, mlperf-resnet50 or mlperf-retinanet"},
		},
		Examples: []string{`warp put --obj.size="lognormal(median=16KiB,sigma=1,max=1MiB)"`, "warp put --obj.size=1KiB,1MiB --obj.randsize"},
	},
	{
		Name: "rate", Values: true,
		Title: "loads that change over time: --rate, --concurrent",
		About: "Without --rate, each of --concurrent threads starts its next operation when the last one has finished (closed loop). " +
			"With it, all clients together start this many operations per second, whether earlier ones have finished or not (open loop); " +
			"latency counts from the time an operation was due. --concurrent takes ramps and stages of threads in the same form.",
		Forms: [][2]string{
			{"200", "200 operations per second; also 200/s, 1.5k, 0.1"},
			{"100..1000/5m", "a ramp over 5 minutes, then 1000"},
			{"100/1m,200/4m,400..800/5m", "stages in order; the last rate stays, 0 ends the load"},
			{"100,200@1m,400..800@5m/5m", "the same, with the start times of the stages"},
			{"repeat(100/9s,0/1s)", "repeated stages: 9 s on, 1 s off"},
			{"burst(200,5s)", "200 operations at once every 5 seconds"},
			{"sine(100,500,24h)", "from 100 up to 500 and back, every 24 hours, in 48 straight pieces"},
			{"file(day.csv,0.1)", "the rates of a file, times 0.1: lines of time (90, 1m30s or 12:30), comma and rate, after an optional header; " +
				"interpolated between lines; two lines with the same time are a step"},
		},
		Examples: []string{"warp get --rate=100..400/2m --arrivals=poisson --max-inflight=64", "warp get --concurrent=1..64/5m --duration=6m"},
	},
	{
		Name: "access", Values: true,
		Title: "access patterns: --access",
		About: "Patterns follow from --seed. Clients that share objects (--shared-data, --list-existing) take turns in one order.",
		Forms: [][2]string{
			{"uniform", "any object at any time"},
			{"seq", "one after the other, over and over"},
			{"shuffle", "every object once in random order, then reshuffled"},
			{"zipf(0.99)", "few objects often: rank r with a probability proportional to 1/r^0.99, for any exponent from 0 on; the seed " +
				"spreads ranks over the objects"},
			{"ycsb-zipf", "YCSB's scrambled zipfian generator: its hottest object gets 3.8% of the turns, however many objects there are"},
			{"hot(10%,90%)", "90% of the turns use 10% of the objects"},
			{"hot(10%,90%,shift=1%/min)", "the same; each minute the hot set moves on by 1% of all objects"},
			{"latest(0.99)", "zipf, with the newest object as the hottest"},
			{"exponential(80%,95%)", "95% of the turns use the newest 80% of the objects: the newer, the likelier, as in YCSB"},
			{"oldest", "same as seq: in the order of upload"},
			{"range(1..50):zipf(0.99)", "only objects 1 to 50; without :PATTERN each once in random order"},
			{"range(1..640,33..64 of 64)", "places 33 to 64 of each 64 objects: with --buckets=64, the objects in buckets 33 to 64"},
		},
		Examples: []string{`warp get --access="zipf(0.99)"`, "warp delete --objects=400 --batch=10 --access=seq"},
	},
	{
		Name: "range", Values: true,
		Title: "ranges of objects: --range",
		About: "Several ranges, separated by commas, are read from each object one after the other, each as an operation of its own. " +
			"--range-size=64KiB is the same as --range=64KiB@random.",
		Forms: [][2]string{
			{"random", "of random length, at a random offset; same as --range without a value"},
			{"64KiB@random", "this length, at a random offset"},
			{"1MiB..8MiB@random", "any length between the two, at a random offset"},
			{"64KiB@start", "the first bytes"},
			{"8B@end", "the last bytes"},
			{"64KiB@aligned", "from a random multiple of the length"},
			{"1KiB..1MiB@aligned(64KiB)", "from a random multiple of the block size, up to the object's end at most"},
			{"1MiB@seq", "the whole object, one range after the other"},
		},
		Examples: []string{"warp get --range=8B@end,64KiB@end,64KiB..256KiB@random"},
	},
	{
		Name:  "keys",
		Title: "names of objects: --keys",
		About: "A template needs {i}, {counter}, {bucket.i}, {hash}, {hash:20d}, {fnv}, {uuid}, {sha256}, or parts that make up the number, " +
			"as {i/N} and {i%N} do; one that names a single object, as that of multipart, needs none. After a number without a fixed length " +
			"comes a non-digit, or the end. With several clients and without --shared-data, keys need {client}, {hash}, {hash:20d} or " +
			"{uuid}, or --bucket needs {client}.",
		Forms: [][2]string{
			{"{i}, {i:06}", "number of the object, from 0; zero-padded to at least 6 digits"},
			{"{i/1000}, {i%1000}", "the number divided by 1000, and the remainder; :06 as above"},
			{"{i%6/2}, {i*4096}, {i+1}", "the remainder divided by 2; the number times 4096; plus 1; in this order also together"},
			{"{counter}", "number of the object, from 1; :06 as above"},
			{"{bucket.i}, {bucket.counter}", "number of the object within its bucket, from 0 or from 1, so that each of several buckets has the " +
				"same keys; {bucket.i} as {i} above"},
			{"{shard:64}", "one of 64 numbers, zero-padded, drawn by the seed"},
			{"{depth:3}, {depth:3x100}", "three levels of directories, each one of 16 (or 100), in hexadecimal, drawn by the seed"},
			{"{hash}, {hash:8}, {hash:20d}", "16 hexadecimal digits drawn by the seed, or fewer, or 20 decimal digits"},
			{"{fnv}", "as in YCSB's keys, 64 bits of FNV-1a in decimal; {fnv+100} begins with object 100; up to 4,294,967,296 objects"},
			{"{uuid}", "a UUID (version 8) drawn by the seed"},
			{"{seed}", "64 hexadecimal digits drawn by the seed, the same in all keys"},
			{"{sha256}", "the SHA-256 of the number; may begin with a slash; up to 4,194,304 objects"},
			{"{date:2026-01-01,1m,%Y/%m/%d}", "a date: the first object's date, the step between objects, and the format " +
				"(%Y %m %d %H %M %S); default: 2026-01-01,1s,%Y/%m/%d"},
			{"{thread}, {client}", "number of the object modulo --concurrent; number of the client, from 0, or from 1 with {client+1}; " +
				":06 as above"},
			{"{hostname}", "name of the machine on which the command runs"},
			{"{{, }}", "braces"},
			{"--bucket={client}-b{b:03}", "names of buckets: {b}, {b:03} or {b+1} is the number of the bucket with --buckets, {b=one|two} " +
				"names each; {client}, {client+1} and {hostname} as above"},
			{"hash", "warp replay (default): names that reveal nothing of the trace's"},
			{"hash-dirs", "warp replay: each part between slashes is hashed with a temporary secret; directories keep their depth and size"},
			{"keep", "warp replay: names as they are, below a prefix of the run"},
		},
		Examples: []string{`warp put --keys="data/{shard:64}/{i:012}.bin"`, "warp replay --keys=hash-dirs access.log"},
	},
	{
		Name: "contents", Values: true,
		Title: "contents of objects: --obj.content",
		About: "Contents follow from --seed, so that --verify can check them.",
		Forms: [][2]string{
			{"random", "unique to each object; they neither compress nor deduplicate"},
			{"zero", "zero bytes"},
			{"compressible=30%", "30% of each 4 KiB block repeats a phrase of 64 letters; smaller objects have that share on average"},
			{"duplicate=10%", "10% of the 4 KiB blocks are copies from a pool of 256 blocks (1 MiB), shared by all clients' objects"},
			{"duplicate=10%/64KiB", "the same with blocks of this size, a multiple of 4 KiB up to 4 MiB: use your store's block size; the " +
				"pool is 1 MiB of blocks, at least 4"},
			{"compressible=30%,duplicate=10%", "both"},
			{"file(PATH)", "contents of a file, or of all files in a directory, repeated; up to 1 GiB, kept in memory"},
		},
		Examples: []string{`warp put --obj.content="compressible=30%,duplicate=10%"`},
	},
	{
		Name: "rules", Values: true,
		Title: "rules about results: --fail-if",
		About: "A rule is [KIND.]FIGURE, one of > >= < <= and a value. If it holds, the exit status is 4. Without a KIND it is about each " +
			"kind of operation, and about all together with total. Figures are throughput, objects (per second), errors, and percentiles " +
			"of latency, ttfb (time to first byte) and own (the client's own part). Rules about changes are for \"warp cmp\". If a " +
			"figure was not measured, the exit status is 7.",
		Forms: [][2]string{
			{"GET.p99>50ms", "latency of downloads at the 99th percentile"},
			{"ttfb.p50>20ms", "median time to first byte, of any kind"},
			{"PUT.throughput<100MiB/s", "bytes per second of uploads"},
			{"total.objects<1000/s", "objects per second of all kinds together"},
			{"errors>0.1%", "share of failed operations; a number without %: how many failed"},
			{"GET.p99>+10%", "a change between runs"},
			{"search.rate<4000/s", "the load that a search held; search.threads<64"},
		},
		Examples: []string{
			`warp get --fail-if="GET.p99>50ms" --fail-if="errors>0"`,
			`warp cmp --fail-if="GET.p99>+10%" before.csv.zst after.csv.zst`,
		},
	},
	{
		Name: "objectives", Values: true,
		Title: "objectives of searches: --slo",
		About: "An objective is [KIND.]FIGURE, < and a limit; without a KIND it is for each kind of operation. All objectives must be met.",
		Forms: [][2]string{
			{"p99<50ms", "1% of operations may fail, or end later than 50 ms after they were due"},
			{"GET.p99.9<1s", "of downloads, 0.1% may"},
			{"ttfb.p99<20ms", "the same for the time to first byte"},
			{"errors<0.1%", "0.1% of operations may fail"},
		},
		Examples: []string{`warp search get --slo="p99<50ms" --slo="errors<0.1%"`},
	},
	{
		Name:  "columns",
		Title: "fields of logs: --columns of trace and replay",
		About: "Each field has the location of a column: a path in JSON objects, a column's name, or a column's number from 1. Columns are " +
			"separated by whitespace, tabs, commas, semicolons or bars, as the first line shows. Quoted text is one column, and so is text in " +
			"brackets between blanks. Lines that start with # and a header line are skipped. For a table without a header, use " +
			"--columns=time=1,op=2,key=3,size=4. The action is in request, in method and uri, or in op and key; the rest is optional.",
		Forms: [][2]string{
			{"time, end", "when the operation began, or ended; end needs latency"},
			{"request", "method and URI in one column, as in \"GET /bucket/key HTTP/1.1\""},
			{"method, uri", "the same in two columns"},
			{"op", "kind of operation"},
			{"bucket, key", "names"},
			{"client", "what sent the request"},
			{"status", "HTTP status"},
			{"size", "bytes of the object"},
			{"sent, received", "bytes that the server sent and received"},
			{"range", "range that was read"},
			{"latency", "duration in seconds; latency=took:ms (or :us, :ns) for another unit"},
		},
		Examples: []string{"warp trace --columns=client=1,end=4,request=5,status=6,sent=7,latency=10 nginx.log"},
	},
	{
		Name:  environment,
		Title: "variables that set flags",
		About: "WARP_ and the name of a flag in capitals, with underscores for dots and dashes, sets the flag for each command that has it: " +
			"WARP_OBJ_SIZE for --obj.size. The command line has precedence, then a scenario, then the environment. An empty variable counts " +
			"as unset. Booleans are true or false. Repeatable flags take one value per line, or several between commas if the command line " +
			"takes these too. Only the command line sets --force, --allow and --allow-exec, the flags of clean that name a run, and flags " +
			"that mean something else in other commands, such as --from of trace. A notice names each WARP_ variable without a flag. " +
			"Recordings have the variables with the command line, except secrets.",
		Forms: [][2]string{
			{"WARP_HOST, WARP_ACCESS_KEY, WARP_SECRET_KEY", "the store and the keys for it: --host, --access-key, --secret-key"},
			{"WARP_TOKEN", "token of clients, in place of --token-file"},
			{"WARP_HTTP_TOKEN", "token of --http, in place of --http-token-file"},
			{"WARP_INFLUXDB_CONNECT", "--influxdb, as in MinIO warp"},
			{"AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL", "--host; the profile's endpoint_url is next"},
			{"AWS_CA_BUNDLE", "--ca-file"},
			{"AWS_REGION", "--region, as in AWS tools"},
			{"AWS_PROFILE, AWS_ACCESS_KEY_ID, ...", "keys, as in AWS tools"},
			{"NO_COLOR, CI", "no colours; plain progress"},
		},
		Examples: []string{"WARP_DURATION=30s WARP_OBJ_SIZE=1MiB warp put", "export WARP_CONCURRENT=64; warp get; warp stat"},
	},
}

// formColumn is the column of the meaning of a form.
const formColumn = 30

// FindTopic returns the topic of a name, in singular or plural.
func FindTopic(name string) (t Topic, ok bool) {
	i := slices.IndexFunc(Topics, func(t Topic) bool { return strings.TrimSuffix(t.Name, "s") == strings.TrimSuffix(name, "s") })
	if i < 0 {
		return t, false
	}
	return Topics[i], true
}

// Page returns the page of the topic.
func (t Topic) Page(root *cli.Command) string {
	p := newPage(root)
	p.fill(fmt.Sprintf("warp help %s - %s", t.Name, t.Title), 0)
	p.WriteString("\n")
	p.fill(t.About, 0)
	p.WriteString("\n")
	for _, f := range t.Forms {
		p.entry(f[0], f[1], formColumn)
	}
	p.WriteString("\nExamples:\n")
	for _, e := range t.Examples {
		p.WriteString("  " + e + "\n")
	}
	return p.String()
}
