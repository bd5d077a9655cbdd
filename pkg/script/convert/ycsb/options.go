package ycsb

import (
	"regexp"

	"warp/pkg/script/convert/draft"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "ycsb", Title: "YCSB", File: "a property file of YCSB",
	Programs: []string{"ycsb", "ycsb.sh"},
	Options:  func() []draft.Option { return append(options, flags...) },
	Detect:   func(text string) bool { return top.MatchString(text) },
	Read:     read,
	Command:  command,
	Secrets:  []string{"s3.accessKeyId", "s3.secretKey"},
}

var top = regexp.MustCompile(`(?m)^[ \t]*(recordcount|operationcount|(read|update|scan|insert|readmodifywrite)proportion)[ \t]*[=: \t]`)

// options lists the properties, and what became of them.
var options = draft.Rows([][3]string{
	{"recordcount", "0", "`objects` of the data set; refused if it is missing"},
	{"insertstart", "0", "first number in `keys`: user{fnv+1000}"},
	{"insertcount", "recordcount", "`objects` of the data set"},
	{"operationcount", "0", "`until: {ops: ...}`"},
	{"maxexecutiontime", "0", "`until: {time: ...}`"},
	{"threadcount", "1", "`load`: threads"},
	{"target", "0", "`rate`, with as many operations at a time as threads"},
	{"readproportion", "0.95", "`get` with its weight"},
	{"updateproportion", "0.05", "`get`, then `put` of the same object, as the S3 binding does"},
	{"insertproportion", "0", "`put` of a new object"},
	{"scanproportion", "0", "`list` of the whole bucket, then `get`, as the S3 binding does; their mean number, with a comment"},
	{"readmodifywriteproportion", "0", "`get`, then `get` and `put` of the same object"},
	{"requestdistribution", "uniform", "`access`: uniform, ycsb-zipf, latest(0.99), hot(...), seq or exponential(...)"},
	{"hotspotdatafraction", "0.2", "`hot(...)`; other records are hot than the first"},
	{"hotspotopnfraction", "0.8", "`hot(...)`"},
	{"exponential.percentile", "95", "`exponential(...)`"},
	{"exponential.frac", "0.8571428571", "`exponential(...)`"},
	{"fieldcount", "10", "`size` of the data set: with fieldlength"},
	{"fieldlength", "100", "`size` of the data set"},
	{"fieldlengthdistribution", "constant", "constant, uniform in steps of fieldcount, or zipfian by classes; histogram is refused"},
	{"minfieldlength", "1", "least length of a field"},
	{"maxscanlength", "1000", "`count` of the `get` that follows `list`: the mean, with a comment"},
	{"minscanlength", "1", "as maxscanlength"},
	{"scanlengthdistribution", "uniform", "uniform or zipfian: part of the mean"},
	{"insertorder", "hashed", "`keys`: user{fnv}; ordered: user{i}"},
	{"zeropadding", "1", "digits of `keys`"},
	{"dataintegrity", "false", "`verify: true`; fields of constant length only"},
	{"table", "usertable", "`bucket` of the target"},
	{"s3.endPoint, s3.endpoint", "", "`hosts` of the target; YCSB reads only the first spelling, and takes AWS without it"},
	{"s3.protocol", "HTTPS", "scheme of `hosts`"},
	{"s3.region", "", "`region` of the target"},
	{"s3.sse", "false", "`sse-s3: true` of the target"},
	{"s3.ssec", "", "`encrypt: true` of the target, with keys of its own"},
	{"s3.maxConnections", "50", "threads, if there are fewer connections"},
	{"s3.accessKeyId, s3.secretKey", "", "credentials of the run; never in a scenario"},
	{"workload", "", "CoreWorkload only: others are refused"},
	{"s3.maxErrorRetry", "15", "nothing: failed operations are counted, and not sent again unless --retries is given"},
	{"fieldlengthhistogram", "hist.txt", "nothing: fieldlengthdistribution=histogram is refused"},
	{"readallfields, writeallfields, readallfieldsbyname", "", "nothing: the S3 binding reads and writes whole objects"},
	{"fieldnameprefix, columnfamily", "", "nothing: objects have no fields"},
	{"maxscanrate, scanoptimelimit, discardscannedrecord", "", "nothing"},
	{"db, dotransactions", "", "nothing: the command line says what is run"},
	{"core_workload_insertion_*", "", "nothing: uploads of the preparation are tried again by warp's own rule"},
	{"measurementtype, measurement.*, hdrhistogram.*, histogram.buckets, timeseries.granularity", "", "nothing: reports are warp's"},
	{"reportlatencyforeacherror, latencytrackederrors", "", "nothing: reports are warp's"},
	{"status*, exporter, exportfile, label, htrace.*", "", "nothing: reports are warp's"},
	{"spin.sleep, basicdb.*", "", "nothing"},
})

// flags lists the options of the command, and what became of them.
var flags = draft.Rows([][3]string{
	{"ycsb load", "", "`run: load`: uploads of the data set, which stays"},
	{"ycsb run", "", "`run: run` on objects that are there; if it uploads too, it makes them first"},
	{"-P FILE", "", "properties of a file"},
	{"-p NAME=VALUE", "", "a property, which wins over files"},
	{"-threads N, -target N", "", "threadcount, target"},
	{"-load, -t", "", "as load and run"},
	{"-db CLASS", "", "the S3 binding only: others are refused"},
	{"-s, -l LABEL, -cp PATH, -jvm-args ARGS", "", "nothing"},
})
