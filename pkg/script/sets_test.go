package script_test

import (
	"strings"
	"testing"

	"warp/pkg/script"
)

func TestMistakesInDataSets(t *testing.T) {
	with := func(set string) string {
		return "warp: 1\ndata: {pool: {" + set + "}}\nphases: [{run: a, do: [{get: pool}], until: 1s}]"
	}
	check(t, []mistake{
		{with("objects: many"), `2:24 data.pool.objects: invalid value "many" (want a whole number, as in 2500, 10k or 1M)`},
		{with("objects: -5"), `2:24 data.pool.objects: invalid value "-5" (want a whole number, as in 2500, 10k or 1M)`},
		{with("size: huge"), `2:21 data.pool.size: invalid size "huge" (want for example 10MiB, 1.5GB or 4096)`},
		{with("grow: false"), `2:21 data.pool.grow: invalid value "false" (want true: reads use what phases add)`},
		{with("content: {duplicate-block: 4KiB}"), `2:42 data.pool.content.duplicate-block: nothing is duplicated (want duplicate too)`},
		{with("content: pink"), `2:15 data.pool.content: invalid value "pink" (want random, zero, compressible=30%, duplicate=10%, duplicate=10%/64KiB, compressible=30%,duplicate=10% or file(PATH))`},
		{with("keep: perhaps"), `2:21 data.pool.keep: invalid value "perhaps" for keep-data`},
		{with("existing: perhaps"), `2:25 data.pool.existing: invalid value "perhaps" for list-existing`},
		{with("buckets: x"), `2:24 data.pool.buckets: invalid value "x" (want a whole number, as in 2500, 10k or 1M)`},
		{strings.Replace(with("existing: true"), "get:", "copy:", 1), `2:25 data.pool.existing: not possible with copy (want get, delete, list, stat, tag, attributes, select or acl)`},
		{strings.Replace(with("objects: 5"), "phases:", "other: 3\nphases:", 1), `3:1 : unknown key "other" (want warp, seed, small, target, data, phases, outputs, shared-data, stop-on-full or force)`},
		{"warp: 1\ndata: {pool: {objects: 5}, other: {objects: 3}}\nphases: [{run: a, do: [{get: pool}], until: 1s}]", `2:28 data.other: no operation uses this data set`},
	})
}

func TestDataSets(t *testing.T) {
	with := func(set, do string) string {
		return "warp: 1\ndata: {pool: {" + set + "}}\nphases: [{run: a, do: [" + do + "], until: 1s}]"
	}
	for _, c := range []struct{ set, do, want string }{
		{"objects: 10k, size: 4KiB", "{get: pool}", `duration=1s obj.size=4KiB objects=10000`},
		{"objects: 5, keys: \"{i}\", prefix: x, seed: 7, content: {compressible: 30%, duplicate: 10%, duplicate-block: 8KiB}", "{get: pool}", `data.seed=7 duration=1s keys={i} obj.content=compressible=30%,duplicate=10%/8KiB objects=5 prefix=x`},
		{"objects: 5, content: {files: .}", "{put: pool}", `duration=1s obj.content=file(.)`},
		{"objects: 5, existing: true", "{get: pool}", `duration=1s list-existing=true objects=5`},
		{"objects: 5, buckets: 3", "{get: pool}", `buckets=3 duration=1s objects=5`},
		{"part: 6MiB", "{multipart-put: pool}", `duration=1s part.size=6MiB`},
		{"objects: 5", "{put: pool, overwrite: true}", `duration=1s objects=5`},
		{"objects: 1k", "{delete: pool, batch: 2}", `batch=2 duration=1s objects=1000`},
		{"", "{put: pool}", `duration=1s`},
	} {
		text := with(c.set, c.do)
		cmd := resolved(t, text).Target.(*command)
		compare(t, text, cmd.text(), c.want)
	}
}

// TestSetsThatBeginEmpty: operations work on what others add to a data set.
func TestSetsThatBeginEmpty(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{phases("{run: a, do: [{put: fresh}, {get: fresh}, {stat: pool}], until: 1s}"), ` {} {"objects":0,"versions":1,"part_size":0,"part_concurrent":5} {"objects":100,"versions":1} `},
		{phases("{run: a, do: [{put: pool}], until: {passes: 1}}", "{run: b, do: [{get: pool}], until: 1s}"), `{} ops=100{"objects":0,"versions":1,"part_size":0,"part_concurrent":5} `},
		{phases("{run: a, do: [{put: pool}], until: {passes: 2, ops: 150}}"), `{} ops=150`},
		{phases("{repeat: 2, phases: [[{run: a, do: [{put: pool}], until: 1s}]]}", "{run: b, do: [{get: pool}], until: 1s}"), `{} {} {"objects":0,"versions":1,"part_size":0,"part_concurrent":5} `},
		{phases("{run: a, do: [{put: fresh, overwrite: true}, {put: fresh}, {get: pool}], until: 1s}"), ` {"replace":true} {} {"objects":100,"versions":1,"part_size":0,"part_concurrent":5} `},
	} {
		text := ""
		r := resolved(t, c.text)
		for i := range r.Plan.Phases {
			st := &r.Plan.Phases[i].Stream
			text += string(st.Params) + " "
			for _, task := range st.Tasks {
				text += string(task.Params) + " "
			}
			if st.Ops > 0 {
				text += "ops=" + script.Textf("%d", st.Ops).Text
			}
		}
		compare(t, c.text, text, c.want)
	}
}
