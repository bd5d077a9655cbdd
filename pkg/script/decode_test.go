package script_test

import (
	"strings"
	"testing"
)

func TestMistakesInForm(t *testing.T) {
	get := "\nphases: [{run: a, do: [{get: p}]}]"
	check(t, []mistake{
		{"", `0:0 : the file is empty; "warp script init" prints one to start with`},
		{"# only a comment", `0:0 : the file is empty; "warp script init" prints one to start with`},
		{"\xff", `0:0 : the file is not UTF-8`},
		{"a: [", `1:4 : invalid YAML: sequence end token ']' not found`},
		{"- 1", `1:1 : a list where a mapping belongs (want a mapping with warp, seed, small, target, data, phases, outputs, shared-data, stop-on-full, force)`},
		{"warp: 1\n---\nwarp: 1", `3:5 : a second document (want one scenario in a file)`},
		{strings.Repeat("[", 60), `1:51 : nested too deeply (want at most 50 levels)`},
		{"warp: 1\nphases: " + strings.Repeat("- ", 2000), `2:2007 : nested too deeply (want at most 50 levels)`},
		{strings.Repeat(" ", 1<<20+1), `0:0 : the file has 1048577 bytes (want at most 1048576)`},
		{"warp: {api: v1}", `1:1 : a file of MinIO warp, not a scenario (want its conversion: warp script convert --from warp x)`},
		{"phases: []", `1:1 warp: missing value (write "warp: 1" as the first line)`},
		{"wrap: 1\nphases: []", `1:1 : unknown key "wrap" (did you mean warp?)`},
		{"warp: 2" + get, `1:7 warp: unknown version "2" of the format (want 1)`},
		{"warp: &x 1\nphases: *x", `1:1 warp: missing value (write "warp: 1" as the first line)
1:7 : anchors and aliases are not part of the language; name what is used twice as a data set, or use repeat or a variable
2:9 : anchors and aliases are not part of the language; name what is used twice as a data set, or use repeat or a variable`},
		{"warp: !!int 1", `1:1 warp: missing value (write "warp: 1" as the first line)
1:7 : tags such as "!!int" are not part of the language (want a plain value)`},
		{"warp: 1\n? [a]\n: b", `3:1 : invalid YAML: found an invalid key for this map`},
		{"warp: 1\ndata: {p: {prefix: \"a\\nb\"}}" + get, `2:20 : invalid value "a\nb" (want text on one line, without control characters)`},
		{"warp: 1\ndata: 5" + get, `2:7 data: a value where a mapping belongs (want data sets by name, as in pool: {objects: 1000, size: 1MiB})`},
		{"warp: 1\ndata: {p: 5, q: , p: {}}" + get, `2:11 data.p: a value where a mapping belongs (want a mapping with objects, size, randsize, keys, prefix, noprefix, seed, content, part, buckets, existing, keep, overwrite-kept, assume, verify, grow)
2:16 data.q: missing value (want a mapping with objects, size, randsize, keys, prefix, noprefix, seed, content, part, buckets, existing, keep, overwrite-kept, assume, verify, grow)
2:19 data.p: the name is given twice`},
		{"warp: 1\nwarp: 1" + get, `2:1 warp: the key is given twice`},
		{"warp: 1\nseed: [1]\nforce: " + get, `2:7 seed: a list where a single value belongs
3:7 force: missing value`},
		{"warp: 1\ndata: {p: {size: {uniform: [1, [2]]}}}" + get, `2:18 data.p.size: a mapping that is no call (want a value such as "uniform(1KiB,1MiB)", or a mapping such as {uniform: [1KiB, 1MiB]})`},
		{"warp: 1\ndata: {p: {size: {hist: }}}" + get, `2:18 data.p.size: a mapping that is no call (want a value such as "uniform(1KiB,1MiB)", or a mapping such as {uniform: [1KiB, 1MiB]})`},
		{"warp: 1\ndata: {p: {size: {hist: {4KiB: [1]}}}}" + get, `2:18 data.p.size: a mapping that is no call (want a value such as "uniform(1KiB,1MiB)", or a mapping such as {uniform: [1KiB, 1MiB]})`},
		{"warp: 1\ndata: {p: {size: uniform(1KiB,2KiB), content: {}}}" + get, `2:31 data.p: "2KiB)" stands for itself (want quotes around a value with commas, as in "uniform(1KiB,1MiB)")`},
		{"warp: 1\ntarget: {tls: , hosts: }" + get, `2:10 target.tls: missing value
2:23 target.hosts: missing value (want a list)`},
		{"warp: 1\ndata: {p: {size: {uniform(1KiB,2KiB)}}}" + get, `2:18 data.p.size: a mapping where a single value belongs`},
		{"warp: 1\ndata: {p: {uniform(1KiB,2KiB)}}" + get, `2:12 data.p: unknown key "uniform(1KiB" (want objects, size, randsize, keys, prefix, noprefix, seed, content, part, buckets, existing, keep, overwrite-kept, assume, verify or grow)
2:25 data.p: "2KiB)" stands for itself (want quotes around a value with commas, as in "uniform(1KiB,1MiB)")`},
	})
}

func TestMistakesInPhases(t *testing.T) {
	check(t, []mistake{
		{phases("{}"), `4:3 phases[0]: the phase does nothing (want one of prepare, clean, wait, exec, verify, run, repeat)`},
		{phases("{load: 3}"), `4:3 phases[0]: the phase does nothing (want one of prepare, clean, wait, exec, verify, run, repeat)`},
		{phases("{wait: 1s, run: a}"), `4:14 phases[0]: wait and run in one phase (want a list item for each)`},
		{phases("{wait: 1s, do: [{get: pool}]}"), `4:14 phases[0]: "do" is not for wait, but for run`},
		{phases("{run: a, do: []}"), `4:3 phases[0]: nothing to do (want do: [{get: NAME}], or other operations)`},
		{phases("{repeat: 3, phases: []}"), `4:3 phases[0]: nothing to repeat (want phases: [...])`},
		{phases("{run: a}"), `4:3 phases[0]: nothing to do (want do: [{get: NAME}], or other operations)`},
		{phases("{repeat: 3}"), `4:3 phases[0]: nothing to repeat (want phases: [...])`},
		{phases("{get: pool}"), `4:4 phases[0]: an operation where a phase belongs (want {run: LABEL, do: [{get: ...}]})`},
		{phases("{run: a, do: [{gte: pool}]}"), `4:18 phases[0].do[0]: unknown operation "gte" (did you mean get?)`},
		{phases("{run: a, do: [{weight: 3}]}"), `4:17 phases[0].do[0]: no operation (want an entry such as {get: NAME, weight: 2})`},
		{phases("{run: a, do: [{get: pool, stat: pool}]}"), `4:29 phases[0].do[0]: two operations in one entry: get and stat (want a list item for each)`},
		{phases("{run: a, do: [{get: pool, range: [1, {}]}, {get: [pool]}]}"), `4:40 phases[0].do[0].range[1]: a mapping where a single value belongs
4:52 phases[0].do[1].get: a list where a single value belongs`},
		{phases("{run: a, do: [{get: pool, access: }]}"), `4:29 phases[0].do[0].access: missing value`},
		{phases("{run: a, do: 5}"), `4:16 phases[0].do: unknown operation "5" (want mixed, get, put, multipart-put, multipart, delete, list, stat, versioned, retention, legal-hold, tag, attributes, select, acl, head-bucket, create-bucket, delete-bucket, copy, append, rename, contend, snowball, zip or fanout)`},
		{phases("5"), `4:3 phases[0]: a value where a mapping belongs (want a mapping with prepare, clean, wait, exec, verify, run, repeat, do, load, until, warmup, expect, ok, on-clients, division, buckets, sample, phases)`},
		{phases("{run: a, do: }"), `4:3 phases[0]: nothing to do (want do: [{get: NAME}], or other operations)
4:15 phases[0].do: missing value (want a list)`},
	})
}
