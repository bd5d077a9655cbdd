package cosbench

import (
	"strings"

	"warp/pkg/script/convert/draft"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "cosbench", Title: "COSBench", File: "a workload file of COSBench",
	Options: options,
	Detect: func(text string) bool {
		return strings.HasPrefix(strings.TrimSpace(text), "<") && strings.Contains(text, "<workload") && strings.Contains(text, "<workstage")
	},
	Read:    read,
	Secrets: []string{"accesskey", "secretkey"},
}

func options() []draft.Option {
	return append(append(elementOptions, configOptions...), storageOptions...)
}

// Attributes lists the attributes of each element.
var Attributes = map[string][]string{
	"workload":  {"name", "description", "trigger", "config"},
	"auth":      {"type", "config", "mechanism"},
	"storage":   {"type", "config"},
	"workflow":  {"config"},
	"workstage": {"name", "closuredelay", "trigger", "config"},
	"work": {
		"name", "type", "workers", "interval", "division", "runtime", "rampup", "rampdown", "afr", "totalOps", "totalBytes", "driver",
		"config", "id", "ratio",
	},
	"operation": {"type", "ratio", "division", "config", "id"},
}

// elementOptions lists elements and attributes.
var elementOptions = draft.Rows([][3]string{
	{"auth", "", "nothing"},
	{"storage type", "", "s3; sio, siov1 and gdas of the fork of sine-io; mock and none: others are refused"},
	{"workstage", "", "phases in order; several works run in parallel. A stage named delay only waits"},
	{"workstage closuredelay", "0", "`wait`"},
	{"workstage trigger, workload trigger", "", "refused: nothing runs a script on the servers; use `exec`"},
	{"work type init, dispose", "", "nothing: buckets are made before the run, and removed if the run made them"},
	{"work type prepare", "", "`prepare`: all objects of the data set are made, with a comment if the original makes only some"},
	{"work type mprepare", "", "`prepare`, with one request for each object"},
	{"work type cleanup", "", "`clean`: deletes what the run made, and nothing else"},
	{"work type delay", "", "nothing: closuredelay of its stage is the pause"},
	{"work type normal", "", "`run`"},
	{"workers", "", "`load`: threads; divided among clients by their number, as by drivers"},
	{"runtime", "0", "`until: {time: ...}`"},
	{"totalOps", "0", "`until: {ops: ...}`; as in the original, what workers cannot share equally is dropped"},
	{"totalBytes", "0", "`until: {bytes: ...}`, likewise"},
	{"rampup", "0", "`warmup`"},
	{"rampdown", "0", "a comment: it is load after the measurement"},
	{"interval", "5", "nothing: --analyze.dur of the report"},
	{"division", "none", "a comment: workers take the objects in turn"},
	{"afr", "200000", "`expect: [errors <= 20%]`"},
	{"driver", "", "`on-clients`: the number in its name"},
	{"operation read", "", "`get`; a range of `range-size` if the storage says is_range_request"},
	{"operation write", "", "`put` that overwrites the objects of its range"},
	{"operation delete", "", "`delete`: each object once"},
	{"operation list", "", "`list`"},
	{"operation head", "", "`stat`"},
	{"operation mwrite", "", "`multipart-put`, of new objects"},
	{"operation filewrite", "", "refused, as are mfilewrite, localwrite and restore"},
	{"ratio", "100", "`weight`; must add up to 100"},
})

// configOptions lists the keys of config.
var configOptions = draft.Rows([][3]string{
	{"cprefix, csuffix", "mycontainers", "`bucket` of the target, with the number of the container in it"},
	{"oprefix, osuffix", "myobjects", "`keys` of the data set, the same in each bucket: myobjects{bucket.counter}"},
	{"containers", "", "`buckets` of the data set; some of them: `access: range(..., 5..8 of 8)`, not if objects are deleted"},
	{"objects", "", "`access: range(...)`: c, r, s and a-b in sequence, u at random, h as an operation for each part"},
	{"sizes", "", "`size` of the data set: KB is 1000 bytes; r and s at random"},
	{"content", "random", "`content: zero`"},
	{"hashCheck", "false", "`verify`"},
	{"hashcheck", "", "nothing: the original reads hashCheck only"},
	{"files, fileselection", "", "refused with the operations that read files"},
	{"createContainer, deleteContainer", "false", "nothing"},
	{"chunked, histo", "", "nothing"},
})

// storageOptions lists the keys of config of a storage.
var storageOptions = draft.Rows([][3]string{
	{"endpoint", "http://s3.amazonaws.com", "`hosts` of the target"},
	{"accesskey, secretkey", "", "credentials of the run; never in a scenario"},
	{"path_style_access", "false", "`lookup` of the target"},
	{"region, aws_region", "", "`region` of the target"},
	{"no_verify_ssl", "false", "`insecure` of the target"},
	{"storage_class", "", "`storage-class` of the target"},
	{"part_size", "5242880", "`part.size` of mwrite"},
	{"is_range_request, chunk_length", "false", "`range-size` of reads"},
	{"proxyhost, proxyport", "", "refused, unless empty"},
	{"is_prefetch", "false", "refused, unless false"},
	{"file_length, restore_days, timeout", "", "nothing"},
})

// formats of other stores, by the names that their users know.
const otherStores = " swift ampli cdmi cdmi_swift cdmi_base librados sproxyd openio aliyun "
