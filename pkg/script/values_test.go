package script_test

import (
	"slices"
	"testing"

	"warp/pkg/script"
)

func TestVariables(t *testing.T) {
	const text = `warp: 1
data: {pool: {objects: "${N}", size: "${SIZE:-1MiB}", prefix: "a-${OTHER:-b}-${N}"}}
phases: [{run: "r${EMPTY:-x}", do: [{get: pool, access: "${ACCESS:-seq}"}], until: 1s}]
`
	compare(t, text, resolved(t, text).Target.(*command).text(), `access=seq duration=1s obj.size=4KiB objects=3 prefix=a-b-3`)
	f, err := script.Parse("x", []byte(text))
	if got, want := f.Variables(), []string{"ACCESS", "EMPTY", "N", "OTHER", "SIZE"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("variables %v, %v; want %v", got, err, want)
	}
}

func TestMistakesInVariables(t *testing.T) {
	with := func(size string) string {
		return "warp: 1\ndata: {pool: {objects: 5, size: '" + size + "'}}\nphases: [{run: a, do: [{get: pool}], until: 1s}]"
	}
	check(t, []mistake{
		{with("${NONE}"), `2:33 data.pool.size: variable NONE is not set (want --set NONE=VALUE, --allow=env:NONE for that of the environment, or a default as in ${NONE:-1MiB})`},
		{with("${SIZE"), `2:33 data.pool.size: invalid value "${SIZE" (want a closing brace, as in ${NAME} or ${NAME:-default})`},
		{with("${NONE:-${SIZE}}"), `2:33 data.pool.size: invalid value "${NONE:-${SIZE}}" (want a default without a variable, as in ${NONE:-1MiB})`},
		{with("${FORBIDDEN}"), `2:33 data.pool.size: FORBIDDEN is not for scenarios`},
		{with("${EMPTY}"), `2:33 data.pool.size: variable EMPTY is not set (want --set EMPTY=VALUE, --allow=env:EMPTY for that of the environment, or a default as in ${EMPTY:-1MiB})`},
	})
}
