#!/usr/bin/env bash
# Tests deploy/ssh against the stand-ins ssh/ssh and ssh/warp: hosts are directories, clients are real processes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

script=$top/deploy/ssh/warp-ssh.sh
export WARP_SSH=$here/ssh/ssh
readonly secret=c2VjcmV0IHRva2VuIG9mIHRoZSB0ZXN0cw==

# fresh HOST...: hosts with warp in their PATH.
fresh() {
	local host
	SSH_HOSTS=$(mktemp -d "$work/hosts.XXXXXX")
	export SSH_HOSTS
	for host; do
		mkdir -p "$SSH_HOSTS/$host/bin"
		cp "$here/ssh/warp" "$SSH_HOSTS/$host/bin/warp"
	done
	cd "$SSH_HOSTS"
	(umask 077 && echo "$secret" >token)
}

test_start_status_stop() {
	fresh n1 n2
	trap '"$script" stop "n{1...2}"' EXIT
	"$script" start -t token "n{1...2}" >out 2>err
	equal "--warp-client=n1:7761,n2:7761" "$(cat out)"
	contains "n1: started (process " err
	equal "client --token-file=$SSH_HOSTS/n1/.warp-client/token.7761 :7761" "$(cat n1/called)"
	equal "$secret" "$(cat n1/.warp-client/token.7761)"
	equal 600 "$(stat -c %a n1/.warp-client/token.7761)"
	equal 700 "$(stat -c %a n1/.warp-client)"
	"$script" status n1,n2 2>err
	contains "n2: runs (process " err
	"$script" stop "n{1...2}" 2>err
	contains "n2: stopped (process " err
	equal cleaned "$(cat n1/cleaned)"
	[ ! -e n1/.warp-client/token.7761 ]
	refuses 1 'n1: FAILED: does not run' "$script" status n1
}

test_no_secret_anywhere() {
	fresh n1
	trap '"$script" stop n1' EXIT
	"$script" start -t token n1 >out 2>err
	lacks "$secret" calls
	lacks "$secret" out
	lacks "$secret" err
	lacks "$secret" n1/called
	lacks "$secret" n1/environment
}

test_start_again() {
	fresh n1
	trap '"$script" stop n1' EXIT
	"$script" start -t token n1
	local pid
	pid=$(cat n1/.warp-client/pid.7761)
	"$script" start -t token n1 2>err
	contains "runs already (process $pid)" err
}

test_ports() {
	fresh n1
	trap '"$script" stop n1; "$script" stop -p 7762 n1' EXIT
	"$script" start -t token n1
	equal "--warp-client=n1:7762" "$("$script" start -t token -p 7762 n1)"
	"$script" stop n1
	"$script" status -p 7762 n1
}

test_copied_binary() {
	fresh n1
	rm n1/bin/warp
	refuses 1 'n1: FAILED: there is no warp in the PATH' "$script" start -t token n1
	trap '"$script" stop n1' EXIT
	"$script" start -t token -b "$here/ssh/warp" n1
	same "$here/ssh/warp" n1/.warp-client/warp
	# While it runs it can be replaced.
	"$script" start -t token -b "$here/ssh/warp" n1
}

test_one_host_is_away() {
	fresh n1
	trap '"$script" stop n1' EXIT
	refuses 1 'n2: FAILED: .*No route to host' "$script" start -t token n1,n2
	"$script" status n1
}

test_client_that_ends_at_once() {
	fresh n1
	touch n1/broken
	refuses 1 'n1: FAILED: ended at once: warp: cannot listen' "$script" start -t token n1
	[ ! -e n1/.warp-client/token.7761 ]
}

test_foreign_process_with_the_number() {
	fresh n1
	mkdir n1/.warp-client
	sleep 60 &
	other=$!
	trap 'kill $other' EXIT
	echo "$other" >n1/.warp-client/pid.7761
	"$script" stop n1 2>err
	contains "did not run" err
	kill -0 "$other"
}

test_file_of_hosts() {
	fresh n01 n02 n03
	printf '# hosts\nme@n01\n\nn{02...03}' >hosts.txt
	trap '"$script" stop file:hosts.txt' EXIT
	equal "--warp-client=n01:7761,n02:7761,n03:7761" "$("$script" start -t token -j 2 file:hosts.txt)"
}

test_ipv6() {
	fresh fd00__1
	trap '"$script" stop "[fd00::1]"' EXIT
	equal "--warp-client=[fd00::1]:7761" "$("$script" start -t token "[fd00::1]")"
	contains "-- fd00::1 " calls
}

test_open_token() {
	fresh n1
	chmod 644 token
	refuses 1 'others may read the token' "$script" start -t token n1
	[ ! -e calls ]
}

test_odd_token() {
	fresh n1
	echo "it's; rm -rf /" >token
	refuses 1 'not one line of letters' "$script" start -t token n1
	[ ! -e calls ]
}

test_wrong_use() {
	local status=$1 pattern=$2
	shift 2
	fresh n1
	refuses "$status" "$pattern" "$script" "$@"
	[ ! -e calls ]
}

check "ssh: start, status, stop" test_start_status_stop
check "ssh: the token is in no command line, environment or output" test_no_secret_anywhere
check "ssh: start again leaves a client alone" test_start_again
check "ssh: two ports are two clients" test_ports
check "ssh: a copied binary" test_copied_binary
check "ssh: one host is away" test_one_host_is_away
check "ssh: a client that ends at once" test_client_that_ends_at_once
check "ssh: a process that is not ours is left alone" test_foreign_process_with_the_number
check "ssh: a file of hosts" test_file_of_hosts
check "ssh: IPv6" test_ipv6
check "ssh: a token that others can read" test_open_token
check "ssh: a token that is no line" test_odd_token
check "ssh: no verb" test_wrong_use 2 'say start, stop or status'
check "ssh: an unknown verb" test_wrong_use 2 'say start, stop or status' restart n1
check "ssh: no hosts" test_wrong_use 2 'which hosts' status
check "ssh: no token" test_wrong_use 2 'needs a token' start n1
check "ssh: a token that is not there" test_wrong_use 1 'cannot be read' start -t nowhere n1
check "ssh: an unknown option" test_wrong_use 2 'no option -z' status -z n1
check "ssh: an option without its value" test_wrong_use 2 '-p needs a value' status -p
check "ssh: a bad port" test_wrong_use 2 'is not a port' status -p 70000 n1
check "ssh: a bad host" test_wrong_use 1 'is not a host' status 'n1;ls'
check "ssh: an option as host" test_wrong_use 1 'is not a host' status ' -oProxyCommand=ls'
check "ssh: a range that runs backwards" test_wrong_use 1 'runs backwards' status 'n{3...1}'
check "ssh: a file that is not there" test_wrong_use 1 'cannot be read' status file:nowhere
check "ssh: help" test_wrong_use 0 'Usage: warp-ssh.sh' --help
summary
