#!/usr/bin/env bash
# MinIO, from source through the Go module proxy. The first installation takes some minutes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=v0.0.0-20260212201848-7aac2a2c5b7c
bin=$cache/bin/minio

install_server() {
	if [ -x "$bin" ] && go version -m "$bin" | grep -q "github.com/minio/minio[[:space:]]$version"; then
		return
	fi
	need go
	say "installing $version"
	local tmp
	mkdir -p "$cache/bin"
	tmp=$(mktemp -d "$cache/minio.XXXXXX")
	GOBIN=$tmp go install "github.com/minio/minio@$version" || { rm -rf "$tmp"; return 1; }
	mv "$tmp/minio" "$bin"
	rmdir "$tmp"
}

run_server() {
	export MINIO_ROOT_USER=$WARP_TEST_ACCESS MINIO_ROOT_PASSWORD=$WARP_TEST_SECRET
	export MINIO_BROWSER=off MINIO_UPDATE=off
	# A key of its own makes it encrypt where it is asked to (SSE-S3).
	MINIO_KMS_SECRET_KEY="warp-test:$(head -c 32 /dev/urandom | base64)"
	export MINIO_KMS_SECRET_KEY
	exec "$bin" server --quiet --address "127.0.0.1:$1" "$2"
}

verbs "$@"
