#!/usr/bin/env bash
# Tests the shell scripts of deploy/: shellcheck for all of them, and the small ones that the chart puts into pods are run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$here/install.sh" shellcheck
files=$top/deploy/helm/warp/files
sh=${SH:-sh} # that of the pods is busybox

test_shellcheck() { "$tools/bin/shellcheck" --severity=style -x -P "SCRIPTDIR:$top" "$1"; }

# Of what the chart puts into pods, busybox is set by the templates.
test_shellcheck_of_pods() { { echo "export busybox=/bin/busybox" && cat "$files/$1"; } | "$tools/bin/shellcheck" -s dash -; }

# busybox: a stand-in for which the clients in $work/up can be reached.
busybox() {
	cat >"$work/busybox" <<-EOT
		#!/bin/sh
		case \$1 in
		nc) [ "\$2 \$3 \$4 \$6" = "-z -w 2 7761" ] && grep -qx "\$5" "$work/up" || { echo "nc: bad address" >&2 && exit 1; } ;;
		date) date "+%s" ;;
		sleep) echo run-3.svc >>"$work/up" ;;
		esac
	EOT
	chmod +x "$work/busybox"
	printf 'run-1.svc\nrun-2.svc\n' >"$work/up"
}

# pod FILE LINE ARGUMENT...: runs a file and the line behind it as a container would. /tmp, which is the pod's alone, is ours.
pod() {
	local script
	script="busybox=$work/busybox
$(sed "s:/tmp/status:$work/status:" "$files/$1")
$2"
	shift 2
	"$sh" -c "$script" "$@"
}

test_wait() {
	busybox
	pod wait.sh "wait_for 10 $1 1 run svc"
}

test_wait_too_long() {
	busybox
	refuses 1 'after 0 s client run-3 cannot be reached.*nc: bad address' pod wait.sh "wait_for 0 3 1 run svc"
}

# shellcheck disable=SC2016 # for the shell of the pod
keep() { pod keep.sh 'keep "$@"' warp "$@"; }
upload() { pod upload.sh "" upload "$@"; }

test_keep_and_upload() {
	keep sh -c "exit $1"
	equal "$1" "$(cat "$work/status")"
	local status=0
	upload touch "$work/uploaded" || status=$?
	equal "$1" "$status"
	[ -e "$work/uploaded" ]
}

test_upload_fails() {
	keep true
	local status=0
	upload sh -c "exit 9" || status=$?
	equal 9 "$status"
}

# A pod that is deleted gets SIGTERM; the benchmark must get it, and has time to clean up.
test_keep_passes_signals_on() {
	rm -f "$work/status" "$work/started"
	# shellcheck disable=SC2016 # for the inner shell
	local script='trap "sleep 0.3; exit 130" TERM; : >"$1"; while :; do sleep 0.1; done'
	# A subshell would not pass the signal on, but exec leaves only the shell of the pod.
	(
		# shellcheck disable=SC2016
		exec "$sh" -c "$(sed "s:/tmp/status:$work/status:" "$files/keep.sh")"'
			keep "$@"' warp bash -c "$script" x "$work/started"
	) &
	local pid=$!
	until [ -e "$work/started" ]; do sleep 0.05; done
	kill "$pid"
	wait "$pid"
	equal 130 "$(cat "$work/status")"
}

# Twice, as an update does. A page and the completions must know a command of the binary that was installed.
test_make_install() {
	local share=$work/root/opt/warp/share
	for _ in 1 2; do GOBIN=$work/bin make -s -C "$top" install DESTDIR="$work/root" PREFIX=/opt/warp; done
	"$work/bin/warp" help get >/dev/null
	contains ".TH" "$share/man/man1/warp-get.1"
	equal "" "$(find "$share" -name '*.part' -o -empty)"
	bash -n "$share/bash-completion/completions/warp"
	contains "#compdef warp" "$share/zsh/site-functions/_warp"
	contains "complete -c warp" "$share/fish/vendor_completions.d/warp.fish"
}

# A line for ~/.zshrc is printed only where zsh would not look.
test_zsh_fpath() {
	mkdir -p "$work/zsh"
	printf '#!/bin/sh\necho /usr/share/zsh/functions\necho "%s/share/zsh/site-functions"\n' "$work/known" >"$work/zsh/zsh"
	chmod +x "$work/zsh/zsh"
	PATH=$work/zsh:$PATH "$top/deploy/completions/install.sh" -w "$work/bin/warp" "$work/elsewhere" >"$work/zsh/out"
	contains "fpath=($work/elsewhere/share/zsh/site-functions \$fpath)" "$work/zsh/out"
	PATH=$work/zsh:$PATH "$top/deploy/completions/install.sh" -w "$work/bin/warp" "$work/known" >"$work/zsh/out"
	lacks fpath "$work/zsh/out"
}

test_completions_refused() {
	refuses 1 'no program no-such-warp' "$top/deploy/completions/install.sh" -w no-such-warp "$work/other"
	refuses 2 'Usage' "$top/deploy/completions/install.sh" a b
	[ ! -e "$work/other" ]
}

while read -r script; do
	check "shellcheck: ${script#"$top/"}" test_shellcheck "$script"
done < <(find "$top/deploy" "$top/test/browser" "$here" -name '*.sh' -not -path '*/helm/*' -o -path "$here/fly/flyctl" -o -path "$here/ssh/*" -type f | sort)
for file in wait.sh keep.sh upload.sh; do check "shellcheck: $file of the chart" test_shellcheck_of_pods "$file"; done
check "pod: clients that are there" test_wait 2
check "pod: a client that comes later" test_wait 3
check "pod: a client that never comes" test_wait_too_long
check "pod: a benchmark that worked is uploaded" test_keep_and_upload 0
check "pod: a benchmark that failed is uploaded" test_keep_and_upload 3
check "pod: an upload that fails" test_upload_fails
check "pod: signals are passed on" test_keep_passes_signals_on
check "make install: binary, man pages and completions" test_make_install
check "completions: what zsh needs" test_zsh_fpath
check "completions: wrong use" test_completions_refused
summary
