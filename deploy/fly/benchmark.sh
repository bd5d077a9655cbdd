#!/usr/bin/env bash
# Runs S3 benchmarks on machines of Fly.io. See README.md next to this file.
#
# It may be run again and again: what is there already is used. Everything it makes carries the tag below as metadata, and nothing
# without it is ever changed or destroyed. Secrets go to Fly.io through standard input, to machines as secrets of the app.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/fly/machines.sh
. "$here/machines.sh"

readonly tag=warp_benchmark                           # key of the metadata that marks our machines; its value is "yes"
readonly port=7761                                    # that clients listen on
readonly fly=${WARP_FLYCTL:-flyctl}                   # the program
readonly vm_size=${WARP_FLY_VM:-shared-cpu-4x}        # of each machine
readonly vm_memory=${WARP_FLY_MEMORY:-2048}           # MB
readonly ready_limit=${WARP_FLY_READY_SECONDS:-300}   # until all machines must be ready
readonly poll_interval=${WARP_FLY_POLL_SECONDS:-2}    # between two looks

regions=iad
nodes=5
concurrency=10
size=4KB
endpoint=dev-tigris-os.fly.dev
access_key=${WARP_ACCESS_KEY:-}
secret_key=${WARP_SECRET_KEY:-}
bucket=test-bucket
duration=1m
plain_http=false
random_size=false
benchmark="get"
ranges=false
shutdown=false
dry_run=false

usage() {
	cat <<-EOT
		A utility to run S3 benchmarks on Fly.io

		Usage: benchmark.sh [-r|-n|-c|-o|-e|-a|-p|-b|-d|-i|-f|-t|-g|-s|-x|-h]
		r             - region to run the benchmark in, or a list as in iad,ord (default: iad)
		n             - number of nodes to use, including the coordinator (default: 5)
		c             - concurrency of each client (default: 10)
		o             - size of objects (default: 4KB)
		e             - S3 endpoint to use (default: dev-tigris-os.fly.dev)
		a             - S3 access key (better: WARP_ACCESS_KEY in the environment)
		p             - S3 secret key (better: WARP_SECRET_KEY in the environment)
		b             - S3 bucket to use (default: test-bucket)
		d             - duration of the benchmark (default: 1m)
		i             - use insecure connections (HTTP) to the S3 endpoint (default: false)
		f             - random sizes of objects, up to [-o] (default: false)
		t             - benchmark to run: get, put, delete, list, stat or mixed (default: get)
		g             - read ranges of objects, with get and mixed (default: false)
		s             - shut down: destroy the nodes that this script made
		x, --dry-run  - only say what would be done
		h, --help     - help
	EOT
}

info() { echo "[INFO]  $*" >&2; }
warn() { echo "[WARN]  $*" >&2; }
fail() {
	echo "[ERROR] $*" >&2
	exit 1
}
wrong() {
	echo "[ERROR] $*" >&2
	usage >&2
	exit 1
}

# matches NAME VALUE PATTERN: values become part of a command line on a machine, so they are what they should be and nothing else.
matches() {
	[[ $2 =~ ^($3)$ ]] || wrong "$1: \"$2\" is not valid"
}

parse() {
	local option args=()
	for option; do
		case $option in
		--dry-run) args+=(-x) ;;
		--help) args+=(-h) ;;
		*) args+=("$option") ;;
		esac
	done
	set -- ${args[@]+"${args[@]}"}
	while getopts :r:n:c:o:e:a:p:b:d:ift:gsxh option; do
		case $option in
		r) regions=$OPTARG ;;
		n) nodes=$OPTARG ;;
		c) concurrency=$OPTARG ;;
		o) size=$OPTARG ;;
		e) endpoint=$OPTARG ;;
		a) access_key=$OPTARG ;;
		p) secret_key=$OPTARG ;;
		b) bucket=$OPTARG ;;
		d) duration=$OPTARG ;;
		i) plain_http=true ;;
		f) random_size=true ;;
		t) benchmark=$OPTARG ;;
		g) ranges=true ;;
		s) shutdown=true ;;
		x) dry_run=true ;;
		h) usage && exit ;;
		:) wrong "-$OPTARG needs a value" ;;
		*) wrong "there is no option -$OPTARG" ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -eq 0 ] || wrong "\"$1\" is not an option"
}

validate() {
	matches "-r" "$regions" '[a-z]{3}(,[a-z]{3})*'
	matches "-n" "$nodes" '[1-9][0-9]{0,3}'
	matches "-c" "$concurrency" '[1-9][0-9]{0,5}'
	matches "-o" "$size" '[0-9][0-9A-Za-z.,:]*'
	matches "-e" "$endpoint" '[][A-Za-z0-9._:,{}-]+'
	matches "-b" "$bucket" '[a-z0-9][a-z0-9.-]+'
	matches "-d" "$duration" '([0-9.]+(ms|s|m|h))+'
	matches "-t" "$benchmark" 'get|put|delete|list|stat|mixed'
	IFS=, read -ra region_list <<<"$regions"
	((nodes > ${#region_list[@]})) ||
		wrong "-n: one node coordinates, so ${#region_list[@]} region(s) need $((${#region_list[@]} + 1)) nodes or more"
	if $ranges; then matches "-g goes with get and mixed only; -t" "$benchmark" 'get|mixed'; fi
	if [ "${access_key:+set}" != "${secret_key:+set}" ]; then
		wrong "access key and secret key go together: -a and -p, or WARP_ACCESS_KEY and WARP_SECRET_KEY"
	fi
	# Lines of "flyctl secrets import" are NAME=VALUE.
	if [[ $access_key$secret_key == *[[:space:]\"]* ]]; then fail "a key contains white space or quotes"; fi
}

# run_benchmark: on node 0, against all others; brings its recording home, also if it failed.
run_benchmark() {
	local i clients="" name status=0 command
	for ((i = 1; i < nodes; i++)); do
		clients+=${clients:+,}$(address "$i"):$port
	done
	name=warp-fly-$benchmark-$(date -u +%Y%m%dT%H%M%SZ)-$(printf %04x "$RANDOM")
	command="/warp $benchmark --warp-client=$clients --host=$endpoint --bucket=$bucket --obj.size=$size --duration=$duration"
	command+=" --concurrent=$concurrency --analyze.v --no-color --benchdata=/data/$name"
	if ! $plain_http; then command+=" --tls"; fi
	if $random_size; then command+=" --obj.randsize"; fi
	if $ranges; then command+=" --range"; fi
	info "Running workload (benchmark: $benchmark, endpoint: $endpoint, bucket: $bucket, max object_size: $size, duration: $duration, concurrency: $concurrency)..."
	if $dry_run; then
		change ssh console --app "$app" --address "$(address 0)" -C "$command"
	else
		"$fly" ssh console --app "$app" --address "$(address 0)" -C "$command" || status=$?
	fi
	change ssh sftp get "/data/$name.csv.zst" "$name.csv.zst" --app "$app" --address "$(address 0)" || {
		[ "$status" -ne 0 ] || fail "the benchmark is done, but its recording /data/$name.csv.zst cannot be fetched from node $(node_name 0)"
	}
	$dry_run || [ ! -e "$name.csv.zst" ] || info "Recording: $name.csv.zst"
	[ "$status" -eq 0 ] || fail "the benchmark failed ($status); what it said stands above"
}

parse "$@"
validate
image=
prepare
if $shutdown; then
	destroy
	exit
fi
ensure_secrets
for ((i = 0; i < nodes; i++)); do ensure_node "$i"; done
await_nodes
warn_of_others
run_benchmark
info "The nodes keep running, and cost money, until: $(basename "$0") -s"
