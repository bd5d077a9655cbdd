package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench/work"
	"warp/pkg/runinfo"
)

// TestFlagsOfDifferencesExist compares runs that differ in every parameter: what differs is named by flags.
func TestFlagsOfDifferencesExist(t *testing.T) {
	env, _ := testEnv(benchmarks()...)
	r := root(&env)
	const stream = `"concurrency":4,"duration_ns":1000000000,"ops":5,"bytes":5,"passes":2,"warmup_ns":5,"rate":3,
		"arrivals":"poisson","max_late_ns":5,"ok":[404]`
	const target = `{"hosts":["a:1"],"tls":true,"insecure":true,"region":"a","lookup":"path","signature":"S3V2","host_select":"thread","min_hosts":1,
		"no_preflight":true,"redirect_to":["b"],"bucket":"b","buckets":3,"encrypt":true,"engine":"std","local_addr":"a","no_keepalive":true,
		"http2":true,"expect":true,"dial_timeout":5,"timeout":5,"idle_timeout":5,"retries":5,"backoff":5}`
	const data = `{"generator":"csv","sizes":{"min":1,"max":2,"random":true},"prefix":"a","noprefix":true,"keys":"a","seed":7,"overwrite_kept":true,"assume":"names"}`
	var flags []string // of any benchmark: some have parameters that only others can set
	for _, info := range work.Registry() {
		for _, f := range r.Command(info.Name).Flags {
			flags = append(flags, f.Names()...)
		}
	}
	for _, info := range work.Registry() {
		params, err := json.Marshal(info.Default())
		if err != nil {
			t.Fatal(err)
		}
		run := func(plan string) runinfo.Run {
			return runinfo.NewRun("x", json.RawMessage(`{"version":"1","plan":`+plan+`}`), "")
		}
		empty := run(fmt.Sprintf(`{"target":{},"phases":[{"workload":%q}]}`, info.Name))
		full := run(fmt.Sprintf(`{"target":%s,"data":%s,"keep_data":true,"stop_on_full":true,"force":true,"shared_data":true,"phases":[{"workload":%q,%s,"params":%s}]}`,
			target, data, info.Name, stream, params))
		list, known := runinfo.Differences(empty, full)
		if !known || len(list) < 30 {
			t.Fatalf("%s: %d differences", info.Name, len(list))
		}
		named := 0
		for _, d := range list {
			if d.Name != "" {
				named++
			}
			if name, isFlag := strings.CutPrefix(d.Name, "--"); isFlag && !slices.Contains(flags, name) {
				t.Errorf("%s: %s is named %s, which is no flag", info.Name, d.Path, d.Name)
			}
		}
		if named < 30 {
			t.Errorf("%s: only %d of %d parameters have names", info.Name, named, len(list))
		}
	}
}
