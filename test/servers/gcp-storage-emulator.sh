#!/usr/bin/env bash
# gcp-storage-emulator (Python), an emulator of Google Cloud Storage, from PyPI, with objects in its memory. It looks at no credentials.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=2026.7.19
dir=$cache/gcp-storage-emulator-$version

install_server() {
	[ ! -x "$dir/bin/gcp-storage-emulator" ] || return 0
	need python3
	say "installing $version"
	rm -rf "$dir"
	python3 -m venv "$dir.new"
	"$dir.new/bin/pip" install --quiet "gcp-storage-emulator==$version" >&2
	mv "$dir.new" "$dir"
}

run_server() {
	# What the address of a resumable upload begins with.
	export STORAGE_EMULATOR_HOST=http://127.0.0.1:$1
	# It takes one connection at a time, and lets five wait. The system drops the others, whose clients try again after seconds.
	exec "$dir/bin/python3" -c 'import socketserver, sys
socketserver.TCPServer.request_queue_size = 128
from gcp_storage_emulator.__main__ import main
sys.exit(main(sys.argv[1:]))' start --host 127.0.0.1 --port "$1" --in-memory --quiet
}

server_store() { echo gcs; }

verbs "$@"
