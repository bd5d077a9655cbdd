#!/usr/bin/env bash
# with.sh SERVER COMMAND...: installs and starts SERVER on a free loopback port, runs COMMAND with WARP_TEST_SERVER,
# WARP_TEST_HOST, WARP_TEST_STORE, WARP_TEST_ROOT, WARP_TEST_ACCESS and WARP_TEST_SECRET set, stops the server however that ends, and exits as COMMAND did.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib.sh"

start_limit=120 # seconds until the server must answer
stop_limit=10   # seconds that it gets to end by itself

if [ $# -lt 2 ] || [ ! -x "$here/$1.sh" ]; then
	echo "usage: $(basename "$0") minio|s3proxy|ministack|s3s|azurite|fake-gcs|gcp-storage-emulator COMMAND..." >&2
	exit 2
fi
server=$1
shift
need curl

pid=
command=
data=$(mktemp -d)
log=$data/server.log

stop() {
	local n
	[ -z "$command" ] || kill -- "-$command" 2>/dev/null || true
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null || true
		for ((n = 0; n < stop_limit * 10; n++)); do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		pid=
	fi
	rm -rf "$data"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# free_port: below the range that the system gives to outgoing connections.
free_port() {
	local port
	while :; do
		port=$((10000 + RANDOM % 20000))
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
			echo "$port"
			return
		fi
	done
}

# await URL: any answer but a server error will do; most servers refuse a request without a signature.
await() {
	local status until=$((SECONDS + start_limit))
	while :; do
		status=$(curl -s -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 5 "$1" || true)
		if ((10#${status:-0} > 0 && 10#$status < 500)); then
			return
		fi
		if ! kill -0 "$pid" 2>/dev/null || ((SECONDS > until)); then
			say "$server does not answer at $1; the end of its log:"
			tail -n 20 "$log" >&2
			return 1
		fi
		sleep 0.2
	done
}

"$here/$server.sh" install
port=$(free_port)
mkdir "$data/server"
"$here/$server.sh" run "$port" "$data/server" >"$log" 2>&1 </dev/null &
pid=$!
await "http://127.0.0.1:$port/"
say "$server answers at 127.0.0.1:$port after ${SECONDS} s"

keys=$("$here/$server.sh" keys "$port")
export WARP_TEST_SERVER=$server WARP_TEST_HOST=127.0.0.1:$port
export WARP_TEST_ACCESS=${keys% *} WARP_TEST_SECRET=${keys#* }
read -r WARP_TEST_STORE WARP_TEST_ROOT <<<"$("$here/$server.sh" store)"
export WARP_TEST_STORE WARP_TEST_ROOT

# In the background, because signals reach a shell that waits, but not one that is busy with a command; in a process group
# of its own, so that what it starts can be ended with it.
set -m
"$@" </dev/null &
command=$!
set +m
status=0
wait "$command" || status=$?
command=
if [ "$status" -ne 0 ]; then
	say "the command failed ($status); the end of $server's log:"
	tail -n 20 "$log" >&2
fi
exit "$status"
