package gosbench

import (
	"regexp"
	"strings"

	"warp/pkg/script/convert/draft"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "gosbench", Title: "gosbench", File: "a test file of gosbench",
	Options: func() []draft.Option { return append(append(topOptions, storeOptions...), testOptions...) },
	Detect:  func(text string) bool { return top.MatchString(text) && strings.Contains(text, "_weight") },
	Secrets: []string{"access_key", "secret_key"},
	Read:    read,
}

var top = regexp.MustCompile(`(?m)^[ \t{,]*["']?tests["']?[ \t]*:`)

// topOptions lists the keys of a file.
var topOptions = draft.Rows([][3]string{
	{"s3_config", "", "the target"},
	{"tests", "", "phases in order"},
	{"grafana_config, report_config, global", "", "nothing"},
})

// storeOptions lists the keys of an entry of s3_config.
var storeOptions = draft.Rows([][3]string{
	{"endpoint", "", "`hosts` of the target; in the original a worker keeps to one"},
	{"region", "", "`region` of the target: the first one"},
	{"access_key, secret_key", "", "credentials of the run; never in a scenario"},
	{"skipSSLverify", "false", "`insecure` of the target"},
	{"usePathStyle", "false", "`lookup` of the target"},
	{"timeout, proxyHost", "", "nothing"},
})

// testOptions lists the keys of a test.
var testOptions = draft.Rows([][3]string{
	{"name", "", "`run`, the name of the phase"},
	{"read_weight", "0", "`get` of its part of the objects, in order"},
	{"write_weight", "0", "`put` that overwrites its part of the objects, in order"},
	{"delete_weight", "0", "`delete` of its part of the objects; as many as the test deletes, if stop_with_ops says so"},
	{"list_weight", "0", "`list`; of all objects, with a comment"},
	{"existing_read_weight", "0", "`get` of objects that are in the bucket; with other weights, of objects that the run makes"},
	{"objects.size_min", "", "`size` of the data set"},
	{"objects.size_max", "", "`size` of the data set: `uniform(...)`"},
	{"objects.size_distribution", "", "constant: one size; random: `uniform`; sequential: 1, 2, 3 ... bytes, as `uniform` with a comment"},
	{"objects.unit", "", "unit of sizes; KB is 1024 bytes"},
	{"objects.number_min", "", "`objects` of the data set, for each bucket"},
	{"objects.number_max", "", "with another distribution than constant: the greatest number, with a comment"},
	{"objects.number_distribution", "", "see number_max"},
	{"objects.part_size", "", "nothing: it has no effect in the original"},
	{"buckets.number_min", "", "`buckets` of the data set"},
	{"buckets.number_max", "", "as for objects"},
	{"buckets.number_distribution", "", "as for objects"},
	{"bucket_prefix", "", "`bucket` of the target: PREFIX{b}, or w{client+1}PREFIX{b}; of the first test, if tests differ"},
	{"object_prefix", "", "`keys` of the data set: w{client+1}PREFIX{bucket.i}"},
	{"stop_with_runtime", "", "`until: {time: ...}`"},
	{"stop_with_ops", "", "`until: {ops: ...}`, times workers; ignored with stop_with_runtime, as in the original"},
	{"workers", "1", "a comment: the number of clients is given by --warp-client"},
	{"workers_share_buckets", "false", "whether buckets have {client} in their names"},
	{"parallel_clients", "", "`load`: threads"},
	{"clean_after", "false", "`clean`, or `keep: true`; deletes what the run made, and nothing else"},
})
