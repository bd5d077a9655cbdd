# keep COMMAND...: runs it, passes on that it shall end, and keeps its exit status for the upload. Never fails, because the
# upload shall follow in any case.
keep() {
	"$@" &
	pid=$!
	trap 'kill -TERM "$pid"' TERM INT
	wait "$pid"
	status=$?
	# A signal ends the wait, not yet the command.
	while kill -0 "$pid" 2>/dev/null; do
		wait "$pid"
		status=$?
	done
	echo "$status" >/tmp/status
	exit 0
}
