#!/usr/bin/env bash
# Tests deploy/container without a container engine: the binary is built by the same command as in the Containerfile, put next to what
# else the image holds, and started there as its user. That the Containerfile is well-formed is tested in Go, see container_test.go.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

image=$work/image
containerfile=$top/deploy/container/Containerfile

# The lines of the Containerfile that build, with paths of this machine.
build_command() {
	sed -n '/^ *CGO_ENABLED=0/,/-o /p' "$containerfile" | sed 's/\\$//' | tr '\n' ' ' | sed "s:/out/:$work/out/:g"
}
layout_commands() { sed -n '/^RUN mkdir/,/chmod/p' "$containerfile" | sed 's/^RUN //' | sed "s:/out/:$work/out/:g"; }

test_build() {
	cd "$top"
	TARGETOS=$(go env GOOS) TARGETARCH=$(go env GOARCH) VERSION=v9.8.7 TAGS=noembed bash -ec "export TARGETOS TARGETARCH VERSION TAGS; $(build_command)"
	bash -ec "$(layout_commands)"
	mkdir "$image"
	cp -a "$work/out/root/." "$image"
	cp -a "$work/out/user/." "$image"
	contains "warp version v9.8.7" <("$image/warp" version)
}

# ldd says so, and fails.
test_static() { { ldd "$image/warp" 2>&1 || true; } | grep -E "not a dynamic executable|statically linked"; }

test_only_what_is_needed() {
	equal "./data ./etc ./etc/group ./etc/passwd ./etc/ssl ./etc/ssl/certs ./etc/ssl/certs/ca-certificates.crt ./tmp ./warp" \
		"$(cd "$image" && find . -mindepth 1 | sort | paste -sd ' ')"
	grep -q "BEGIN CERTIFICATE" "$image/etc/ssl/certs/ca-certificates.crt"
}

# inside COMMAND...: runs in the image as its user, as the last lines of the Containerfile say.
inside() { (cd "$image/data" && env -i "$(command -v chroot)" --userspec=65532:65532 "$image" "$@"); }

test_runs_as_its_user() {
	chown -R 0:0 "$image"
	chown 65532:65532 "$image/data" "$image/tmp"
	contains "warp version v9.8.7" <(inside /warp version)
	contains "Usage: warp COMMAND" <(inside /warp --help)
}

test_no_server() { refuses 2 "built without the embedded S3 server" "$image/warp" serve; }

# Temporary files go to /tmp, the recording to the working directory. The server is outside.
test_benchmark_inside() {
	mkdir -p "$image/proc"
	mount --bind /proc "$image/proc"
	(cd "$top" && go build -o "$work/warp" .)
	"$work/warp" serve 127.0.0.1:0 >"$work/server" &
	trap 'kill $!; wait; umount "$image/proc"' EXIT
	until grep -q ^export "$work/server"; do sleep 0.1; done
	# shellcheck disable=SC2046 # each variable is a word
	inside /warp stat $(sed -n 's/^export WARP_HOST=\(.*\) WARP_ACCESS_KEY=\(.*\) WARP_SECRET_KEY=\(.*\)$/--host=\1 --access-key=\2 --secret-key=\3/p' "$work/server") --objects=10 --obj.size=1KiB --duration=1s --quiet --benchdata=/data/inside >"$work/report"
	contains "Operation: STAT" "$work/report"
	equal 65532 "$(stat -c %u "$image/data/inside.csv.zst")"
	equal "" "$(ls "$image/tmp")"
}

check "container: the build commands work" test_build
check "container: the binary is static" test_static
check "container: the binary has no server in it" test_no_server
check "container: the image holds what is needed, and nothing else" test_only_what_is_needed
if [ "$(id -u)" -eq 0 ]; then
	check "container: it runs as its user, without a shell" test_runs_as_its_user
	if mkdir -p "$work/probe" && mount --bind /proc "$work/probe" 2>/dev/null; then
		umount "$work/probe"
		check "container: a benchmark" test_benchmark_inside
	else
		say "skip  container: a benchmark inside (mounting is not allowed here)"
	fi
else
	say "skip  container: running as its user (only root may)"
fi
summary
