#!/usr/bin/env bash
# fake-gcs-server (Go), an emulator of Google Cloud Storage, from the Go module proxy, with objects in its memory. It looks at no
# credentials.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=v1.56.1
dir=$cache/fake-gcs-server-$version

install_server() {
	[ ! -x "$dir/fake-gcs-server" ] || return 0
	need go
	say "installing $version"
	GOFLAGS=-trimpath GOBIN=$dir go install "github.com/fsouza/fake-gcs-server@$version"
}

run_server() {
	exec "$dir/fake-gcs-server" -scheme http -host 127.0.0.1 -port "$1" -backend memory -log-level warn \
		-external-url "http://127.0.0.1:$1" -public-host "127.0.0.1:$1"
}

server_store() { echo gcs; }

verbs "$@"
