package elbencho

import "warp/pkg/script/convert/draft"

// options lists the options, and what became of them. The last rows change nothing that is measured.
var options = draft.Rows([][3]string{
	{"path", "", "`bucket` of the target; several: `buckets` of the data set, whose names must differ in a number"},
	{"s3endpoints", "", "`hosts` of the target"},
	{"s3key, s3secret, s3sessiontoken", "", "credentials of this run; never in a scenario"},
	{"s3region", "", "`region` of the target"},
	{"s3virtaddr", "0", "`lookup` of the target: host, else path"},
	{"s3sign", "0", "`payload` of the target: 1 signed, 2 unsigned"},
	{"s3chksumalgo", "", "`checksum` of the target"},
	{"s3sse", "0", "`sse-s3` of the target"},
	{"s3ssekmskey", "", "`sse-kms` of the target"},
	{"s3sseckey", "", "`encrypt` of the target, with keys of its own"},
	{"threads", "1", "`load`: threads, and directories of `keys`"},
	{"hosts", "", "a comment, and as many times the threads"},
	{"rankoffset", "0", "part of `keys`"},
	{"resfile, jsonfile", "", "warp's report, as text and as JSON"},
	{"csvfile", "", draft.Noted + "--analyze.out writes a time series, warp analyze --parquet a table"},
	{"dryrun", "0", draft.Refused + "warp run --explain runs nothing"},
	{"nopathexp", "0", "brackets in paths stay as they are"},
	{"numhosts", "-1", "how many of hosts"},
	{"iodepth", "1", "`part.concurrent`"},
	{"timelimit", "0", "`until: {time: ...}` of each phase"},
	{"iterations", "1", "`repeat`"},
	{"infloop", "0", "`until` has no number of operations"},
	{"phasedelay", "0", "`wait`"},
	{"start", "0", "a flag of the command: --syncstart"},
	{"limitread, limitwrite", "0", "`rate`: divided by size, times threads"},
	{"size", "0", "`size` of the data set"},
	{"block", "1m", "`part.size` of larger objects, or `range`"},
	{"blockvarpct", "100", "`content`: the rest is `duplicate`"},
	{"dirs", "1", "part of `keys`"},
	{"files", "1", "part of `keys`; hosts * threads * dirs * files are `objects`"},
	{"dirsharing", "0", "part of `keys`"},
	{"s3objprefix", "", "part of `keys`; % is a random digit"},
	{"mkdirs", "0", "`create-bucket`; with write nothing, since buckets are made before the run"},
	{"write", "0", "`put`, or `multipart-put` if block is less than size"},
	{"stat", "0", "`stat`"},
	{"s3listobj, s3listobjpar", "0", "`list`"},
	{"read", "0", "`get`, with `part.size` if block is less than size"},
	{"s3multidel", "0", "`delete` with `batch`"},
	{"delfiles", "0", "`delete`"},
	{"deldirs", "0", "`clean` with `buckets`, which the run must have made; without write `delete-bucket`"},
	{"rand", "0", "`range` of reads at random offsets; uploads stay in order"},
	{"norandalign", "0", "`range` from any offset"},
	{"randamount", "", "`until: {bytes: ...}`"},
	{"s3randobj", "0", "`access: uniform`"},
	{"verify", "0", "`verify` of reads, if the run wrote the objects"},
	{"verifydirect, readinline", "0", "`verify` of `put`"},
	{"statinline", "0", "`then` of `put`"},
	{"s3otag", "0", "`tag`"},

	{
		"rwmixthr", "",
		draft.Refused + "uploads and reads of an earlier run's objects in one phase can't be had (want a scenario with both in parallel)",
	},
	{
		"rwmixthrpct, rwmixpct", "",
		draft.Refused + "uploads and reads of an earlier run's objects in one phase can't be had (want a scenario with both in parallel)",
	},
	{"backward", "", draft.Refused + "offsets that fall can't be had"},
	{"treefile, treescan, treerand", "", draft.Refused + "names of a list can't be had (want dirs and files)"},
	{"treeroundrob, treeroundup, sharesize", "", draft.Refused + "names of a list can't be had (want dirs and files)"},
	{"s3statdirs, s3btag*, s3bversion*, s3olockcfg*, s3acl*, s3bacl*, s3otagverify", "", draft.Refused + "it is about buckets and grants"},
	{"s3mpusizevar, s3mpusplit", "", draft.Refused + "an upload has equal parts, of one thread, and is completed"},
	{"s3mpusharing, s3nompucompl", "", draft.Refused + "an upload has equal parts, of one thread, and is completed"},
	{"netbench*, hdfs, gpu*, cu*, gds*, mmap, strided", "", draft.Refused + "it is not about S3"},
	{"s3credfile, s3credlist", "", draft.Refused + "several keys are in a file of warp (want --credentials-file)"},
	{"hostsfile", "", draft.Refused + "the file isn't read (want hosts)"},
	{"svcpwfile", "", "nothing: credentials of services are never in a scenario"},

	{"s3listverify", "0", "nothing: listings are compared with what was uploaded"},
	{
		"s3fastget, s3fastput, s3nocompress, s3maxconns, s3single, s3targetgbps, s3log, s3logprefix, s3nompcheck, s3multiignore404", "",
		"nothing: it is about the SDK",
	},
	{"s3ignoreerrors, nodelerr", "0", "nothing: errors are counted, and end nothing unless --max-errors says so"},
	{"direct, sync, dropcache, zones, cores, nodiocheck, trunc*", "", "nothing: it is about files and services"},
	{"preallocfile, fadv*, madv*, flock, nofdsharing, no0usecerr, quit, interrupt", "", "nothing: it is about files and services"},
	{"service, foreground, port, svc*, nosvcshare", "", "nothing: it is about files and services"},
	{"rotatehosts, blockvaralgo, rwmixthrtm, configfile", "", "nothing: it is about files and services"},
	{
		"lat*, live*, nolive, allelapsed, cpu, label, log, base10, nocsvlabels, opslog*, dirstats", "",
		"nothing: the report is warp's",
	},
})

// short are the short options.
var short = map[byte]string{
	't': "threads", 'n': "dirs", 'N': "files", 's': "size", 'b': "block", 'd': "mkdirs", 'w': "write", 'r': "read",
	'F': "delfiles", 'D': "deldirs", 'i': "iterations", 'c': "configfile",
}

// switches are the options without a value.
var switches = []string{
	"mkdirs", "write", "read", "stat", "delfiles", "deldirs", "s3listobjpar", "s3listverify", "s3virtaddr", "infloop", "dirsharing", "rand",
	"norandalign", "s3randobj", "backward", "verifydirect", "readinline", "statinline", "s3sse", "s3otag", "s3otagverify", "s3btag",
	"s3aclputinl", "s3statdirs", "s3fastget", "s3fastput", "s3nocompress", "s3single", "s3nompcheck", "s3multiignore404", "s3ignoreerrors",
	"nodelerr", "direct", "sync", "dropcache", "nodiocheck", "trunc", "preallocfile", "nofdsharing", "no0usecerr", "quit", "interrupt",
	"service", "foreground", "nosvcshare", "nopathexp", "lat", "latpercent", "lathisto", "latpercent9s", "nolive", "allelapsed", "cpu",
	"base10", "nocsvlabels", "dirstats", "dryrun", "treerand", "treeroundrob", "s3nompucompl", "s3mpusharing", "live1", "live1n", "hdfs",
	"netbench",
	"mmap", "strided",
}
