# shellcheck shell=bash disable=SC2034 # what it sets is used by those that source it
# Common parts of the tests of deploy/; sourced, not run. A test is a command that must succeed: "check NAME COMMAND...".
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# Tools are installed outside of the checkout and kept between runs.
tools=${WARP_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warp-tools}

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
passed=0
failed=0

say() { printf '%s\n' "$*" >&2; }

# check NAME COMMAND...: runs the command in a shell of its own, where a failure ends it, and counts.
check() {
	local name=$1 status=0
	shift
	set +e
	(
		set -e
		"$@"
	) >"$work/output" 2>&1
	status=$?
	set -e
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		say "ok    $name"
	else
		failed=$((failed + 1))
		say "FAIL  $name ($status)"
		sed 's/^/      | /' "$work/output" >&2
	fi
}

# Each file of tests ends with this; run.sh adds the lines up.
summary() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}

# refuses STATUS PATTERN COMMAND...: the command ends with the status, and says something like the pattern.
refuses() {
	local want=$1 pattern=$2 got=0 text
	shift 2
	text=$("$@" 2>&1) || got=$?
	grep -qE -- "$pattern" <<<"$text" || { echo "no \"$pattern\" in: $text" && return 1; }
	[ "$got" -eq "$want" ] || { echo "status $got instead of $want: $text" && return 1; }
}

# equal WANT GOT
equal() { [ "$1" = "$2" ] || { printf 'want: %s\ngot:  %s\n' "$1" "$2" && return 1; }; }

# same WANT GOT: files.
same() { diff -u "$1" "$2"; }

# contains TEXT FILE and lacks TEXT FILE
contains() { grep -qF -- "$1" "$2" || { echo "not in $2: $1" && cat "$2" && return 1; }; }
lacks() { ! grep -F -- "$1" "$2" || { echo "in $2: $1" && return 1; }; }
