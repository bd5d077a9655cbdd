#!/usr/bin/env bash
# s3s-fs (Rust), from crates.io, with objects in files.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=0.14.1
home=$cache/s3s-fs-$version

install_server() {
	[ ! -x "$home/bin/s3s-fs" ] || return 0
	need cargo
	say "installing $version"
	mkdir -p "$home"
	cargo install -q --locked --root "$home" --features binary "s3s-fs@$version"
}

run_server() {
	exec "$home/bin/s3s-fs" --host 127.0.0.1 --port "$1" --access-key "$WARP_TEST_ACCESS" --secret-key "$WARP_TEST_SECRET" "$2"
}

verbs "$@"
