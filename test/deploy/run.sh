#!/usr/bin/env bash
# Runs all tests of deploy/, as CI does, at the same time. The last line states how many passed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# add FILE: shows the output of tests, and adds what its last line counts.
add() {
	local line
	say "== $1"
	cat "$work/$1.err" >&2
	line=$(tail -n 1 "$work/$1.out")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
	else
		say "FAIL  $1 did not come to its end"
		failed=$((failed + 1))
	fi
}

manifests() { cd "$here" && go vet ./... && go test -count=1 ./...; }

"$here/install.sh" helm shellcheck # once, not by two of the tests at a time
files=({scripts,systemd,container,fly,fly_options,ssh,helm}_test.sh)
for tests in "${files[@]}"; do
	"$here/$tests" >"$work/$tests.out" 2>"$work/$tests.err" &
done
wait
for tests in "${files[@]}"; do add "$tests"; done
say "== manifests and Containerfile"
check "what is rendered, and the Containerfile, are valid" manifests
summary
