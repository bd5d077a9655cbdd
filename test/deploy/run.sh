#!/usr/bin/env bash
# Runs all tests of deploy/, as CI does. The last line tells how many passed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# add FILE: runs tests, and adds what the last line of their output counts.
add() {
	local line
	say "== $1"
	line=$("$here/$1" | tail -n 1) || true
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
	else
		say "FAIL  $1 did not come to its end"
		failed=$((failed + 1))
	fi
}

manifests() { cd "$here" && go vet ./... && go test -count=1 ./...; }

for tests in scripts systemd container fly fly_options ssh helm; do add "${tests}_test.sh"; done
say "== manifests and Containerfile"
check "what is rendered, and the Containerfile, are valid" manifests
summary
