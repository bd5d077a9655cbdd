# shellcheck shell=bash
# Common parts of the server scripts; sourced, not run.
set -euo pipefail

# Where servers are installed: outside of the checkout, kept between runs.
cache=${WARP_SERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/warp-servers}

# Keys that the servers are started with.
export WARP_TEST_ACCESS=${WARP_TEST_ACCESS:-warp-test-access}
export WARP_TEST_SECRET=${WARP_TEST_SECRET:-warp-test-secret-0123456789}

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }

# need COMMAND...: says which of the programs are missing.
need() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || { say "needs $c, which is not installed"; return 1; }
	done
}

# server_keys PORT: the keys to use with a running server, where they are not those it was started with.
server_keys() { echo "$WARP_TEST_ACCESS $WARP_TEST_SECRET"; }

# server_store: the kind of store (--store), and the path before its buckets, if it has one.
server_store() { echo s3; }

# verbs "$@": the command line that all server scripts share. A script defines two functions:
#   install_server        installs into $cache unless that was done completely before
#   run_server PORT DATA  replaces the process by the server on 127.0.0.1:PORT
verbs() {
	case "${1-} $#" in
	"install 1") install_server ;;
	"keys 2") server_keys "$2" ;;
	"store 1") server_store ;;
	"run 2" | "run 3")
		local data=${3-}
		install_server
		[ -n "$data" ] || data=$(mktemp -d)
		run_server "$2" "$data"
		;;
	*)
		echo "usage: $(basename "$0") install | run PORT [DATA-DIRECTORY] | keys PORT | store" >&2
		return 2
		;;
	esac
}
