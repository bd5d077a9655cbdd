# shellcheck shell=sh
# What warp-ssh.sh does on a host. It is read by sh from standard input, behind a line that sets verb, port, copied and token.
set -eu
umask 077
: "${verb:?}" "${port:?}" "${copied?}" "${token?}"

# A function, so that nothing is done before the shell has read it all: a connection may break.
main() {
	dir=$HOME/.warp-client
	mkdir -p "$dir/data"
	cd "$dir"
	pid=
	[ ! -e "pid.$port" ] || pid=$(cat "pid.$port")
	case $verb in
	start) start ;;
	stop) stop ;;
	status) if runs; then echo "runs (process $pid)"; else echo "does not run" && exit 1; fi ;;
	esac
}

# runs: the process is there, and is a client of this port and not a later one that got its number.
runs() {
	[ -n "$pid" ] || return 1
	if [ -d /proc/self ]; then
		args=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") || return 1
	else
		args="$(ps -p "$pid" -o args=) " || return 1
	fi
	case $args in *" client "*":$port ") return 0 ;; *) return 1 ;; esac
}

start() {
	if runs; then
		echo "runs already (process $pid)"
		return
	fi
	warp=warp
	if [ "$copied" = yes ]; then warp=$dir/warp; fi
	command -v "$warp" >/dev/null || { echo "there is no warp in the PATH; copy one with -b" && exit 1; }
	printf '%s\n' "$token" >"token.$port.part"
	mv "token.$port.part" "token.$port"
	# shellcheck disable=SC3045 # every sh that is met has them; one that has not goes on without
	ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
	cd data
	nohup "$warp" client --token-file="$dir/token.$port" ":$port" >>"$dir/log.$port" 2>&1 </dev/null &
	pid=$!
	cd ..
	echo "$pid" >"pid.$port"
	# One that cannot listen ends at once.
	sleep 1
	runs || { echo "ended at once: $(tail -n 3 "log.$port")" && rm -f "pid.$port" "token.$port" && exit 1; }
	echo "started (process $pid)"
}

stop() {
	if runs; then
		kill "$pid"
		n=0
		# It cleans up first.
		while runs && [ "$n" -lt 30 ]; do
			sleep 1
			n=$((n + 1))
		done
		if runs; then kill -9 "$pid"; fi
		echo "stopped (process $pid)"
	else
		echo "did not run"
	fi
	rm -f "pid.$port" "token.$port"
}

main
