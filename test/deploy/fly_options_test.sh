#!/usr/bin/env bash
# Tests the options of deploy/fly/benchmark.sh: the command that they make, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/fly/lib.sh"

command_of_run() { sed -n 's/^ssh console .* -C //p' "$FLY_STATE/calls" | sed 's/\\//g'; }

test_command_of_defaults() {
	fresh
	benchmark
	local id clients
	id=$(jq -r '.[0].id' "$FLY_STATE/machines.json")
	clients=$(jq -r '[.[1:][] | "\(.id).vm.test-app.internal:7761"] | join(",")' "$FLY_STATE/machines.json")
	equal 1 "$(calls "ssh console --app test-app --address $id.vm.test-app.internal ")"
	command_of_run | sed 's/--benchdata=[^ ]*/--benchdata=X/; s/ *$//' >got
	echo "/warp get --warp-client=$clients --host=dev-tigris-os.fly.dev --bucket=test-bucket --obj.size=4KB --duration=1m --concurrent=10 --analyze.v --no-color --benchdata=X --tls" >want
	same want got
}

test_command_of_all_options() {
	fresh
	benchmark -r ord -n 3 -c 32 -o 1KiB,1MiB -e 10.0.0.1:9000 -b other-bucket -d 1m30s -i -f -t mixed -g
	equal "warp-node-ord-0 warp-node-ord-1 warp-node-ord-2" "$(names)"
	command_of_run >got
	contains "/warp mixed " got
	contains " --host=10.0.0.1:9000 --bucket=other-bucket --obj.size=1KiB,1MiB --duration=1m30s --concurrent=32 " got
	contains " --obj.randsize" got
	contains " --range" got
	lacks "--tls" got
	ls warp-fly-mixed-*.csv.zst
}

test_wrong_use() {
	local pattern=$1
	shift
	fresh
	refuses 1 "$pattern" "$script" "$@"
	refuses 1 'Usage: benchmark.sh' "$script" "$@"
	[ ! -e "$FLY_STATE/calls" ]
}

test_help() {
	"$script" "$1" >"$work/help"
	local option
	for option in r n c o e a p b d i f t g s; do
		grep -q "^$option  *- " "$work/help" || { echo "no $option in the help" && return 1; }
	done
	local default
	for default in iad 5 10 4KB dev-tigris-os.fly.dev test-bucket 1m; do contains "(default: $default)" "$work/help"; done
}

test_missing_program() {
	fresh
	WARP_FLYCTL=no-such-flyctl refuses 1 'needs no-such-flyctl' "$script"
}

check "fly: the command of the defaults" test_command_of_defaults
check "fly: the command of all options" test_command_of_all_options
check "fly: an unknown option" test_wrong_use 'no option -z' -z
check "fly: an option without its value" test_wrong_use '-b needs a value' -b
check "fly: a word too many" test_wrong_use '"get" is not an option' get
check "fly: a bad number of nodes" test_wrong_use '-n: "0" is not valid' -n 0
check "fly: one node only" test_wrong_use 'need 2 nodes' -n 1
check "fly: more regions than clients" test_wrong_use 'need 4 nodes' -r iad,ord,sjc -n 3
check "fly: a bad region" test_wrong_use '-r: ' -r 'iad;ls'
check "fly: a bad bucket" test_wrong_use '-b: ' -b 'x y'
check "fly: a bad endpoint" test_wrong_use '-e: ' -e 'host --insecure'
check "fly: a bad size" test_wrong_use '-o: ' -o big
check "fly: a bad duration" test_wrong_use '-d: ' -d 60
check "fly: a bad concurrency" test_wrong_use '-c: ' -c many
check "fly: a bad benchmark" test_wrong_use '-t: ' -t client
check "fly: ranges with put" test_wrong_use '-g goes with get and mixed' -t put -g
check "fly: a key without the other" test_wrong_use 'go together' -a x
check "fly: help (-h)" test_help -h
check "fly: help (--help)" test_help --help
check "fly: flyctl is not installed" test_missing_program
summary
