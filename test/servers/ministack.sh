#!/usr/bin/env bash
# MiniStack (Python), from PyPI into a virtual environment, with objects in its memory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=1.5.33
venv=$cache/venv-ministack-$version

# complete: pip writes a package's metadata last, and its dependencies before it.
complete() {
	[ -x "$venv/bin/ministack" ] &&
		[ "$("$venv/bin/python" -c 'from importlib.metadata import version; print(version("ministack"))' 2>/dev/null)" = "$version" ]
}

install_server() {
	! complete || return 0
	need python3
	say "installing $version"
	rm -rf "$venv"
	mkdir -p "$cache"
	python3 -m venv "$venv"
	"$venv/bin/pip" -q --disable-pip-version-check install "ministack==$version"
}

run_server() {
	# Without AUTH it takes any signature.
	export AUTH=true AWS_ACCESS_KEY_ID=$WARP_TEST_ACCESS AWS_SECRET_ACCESS_KEY=$WARP_TEST_SECRET
	export BIND_HOST=127.0.0.1 GATEWAY_PORT=$1 SERVICES=s3,iam LOG_LEVEL=WARNING
	cd "$2"
	exec "$venv/bin/ministack"
}

# server_keys makes a user: with the keys of the root account signatures are taken unseen, AUTH or not.
server_keys() {
	local answer policy=arn:aws:iam::aws:policy/AdministratorAccess
	iam "$1" "Action=CreateUser&UserName=warp" >/dev/null
	iam "$1" "Action=AttachUserPolicy&UserName=warp&PolicyArn=$policy" >/dev/null
	answer=$(iam "$1" "Action=CreateAccessKey&UserName=warp")
	echo "$(element AccessKeyId "$answer") $(element SecretAccessKey "$answer")"
}

# iam PORT PARAMETERS: one request to its IAM service.
iam() {
	curl -sf --noproxy '*' --aws-sigv4 aws:amz:us-east-1:iam --user "$WARP_TEST_ACCESS:$WARP_TEST_SECRET" \
		--data "Version=2010-05-08&$2" "http://127.0.0.1:$1/"
}

element() { sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" <<<"$2"; }

verbs "$@"
