# shellcheck shell=bash
# What tests of deploy/fly share; sourced, not run.
# shellcheck source=test/deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

script=$top/deploy/fly/benchmark.sh
readonly access=AKIAVERYOWNACCESS secret=verySecretKey/+=0123

export WARP_FLYCTL=$here/fly/flyctl FLY_APP=test-app WARP_FLY_POLL_SECONDS=0 WARP_FLY_READY_SECONDS=20
unset WARP_ACCESS_KEY WARP_SECRET_KEY WARP_FLY_IMAGE WARP_FLY_VM WARP_FLY_MEMORY

# fresh: an app without machines, with a directory to work in.
fresh() {
	FLY_STATE=$(mktemp -d "$work/state.XXXXXX")
	export FLY_STATE
	mkdir "$FLY_STATE/cwd"
	cd "$FLY_STATE/cwd"
}

benchmark() { "$script" -a "$access" -p "$secret" "$@"; }
calls() { grep -c -- "^$1" "$FLY_STATE/calls" || true; }
forget_calls() { : >"$FLY_STATE/calls"; }
names() { jq -r '[.[].name] | join(" ")' "$FLY_STATE/machines.json"; }
secret_names() { cut -d = -f 1 "$FLY_STATE/secrets" | sort | paste -sd ' '; }

no_secrets_in_calls() {
	local token
	token=$(sed -n 's/^WARP_TOKEN=//p' "$FLY_STATE/secrets")
	[ ${#token} -ge 40 ] || { echo "the token is $token" && return 1; }
	lacks "$token" "$FLY_STATE/calls"
	lacks "$access" "$FLY_STATE/calls"
	lacks "$secret" "$FLY_STATE/calls"
	lacks verySecretKey "$FLY_STATE/calls" # however it is quoted
}
