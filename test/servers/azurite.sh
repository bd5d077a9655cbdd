#!/usr/bin/env bash
# Azurite (Node.js), Azure's own emulator of Blob Storage, from npm, with blobs in its memory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=3.35.0 # the last one for Node 20
dir=$cache/azurite-$version

# The account, which stands first in paths, and its key, which Azure's emulators have in common and their documentation publishes.
account=devstoreaccount1
key=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==

install_server() {
	[ ! -x "$dir/node_modules/.bin/azurite-blob" ] || return 0
	need npm
	say "installing $version"
	rm -rf "$dir" "$dir.new"
	mkdir -p "$dir.new"
	npm install --silent --no-audit --no-fund --prefix "$dir.new" "azurite@$version" >&2
	mv "$dir.new" "$dir"
}

run_server() {
	cd "$2"
	exec "$dir/node_modules/.bin/azurite-blob" --blobHost 127.0.0.1 --blobPort "$1" --inMemoryPersistence --silent \
		--disableTelemetry --skipApiVersionCheck
}

server_keys() { echo "$account $key"; }

server_store() { echo "azure /$account"; }

verbs "$@"
