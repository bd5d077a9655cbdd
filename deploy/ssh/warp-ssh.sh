#!/usr/bin/env bash
# Starts and stops warp clients over ssh. See README.md next to this file.
#
# All that is done on a host is done by the script remote.sh, which is sent over standard input, together with the token, which
# therefore is in no command line, here or there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

ssh=${WARP_SSH:-ssh}
binary=
token_file=
port=7761
parallel=20
readonly host_pattern='^([A-Za-z0-9._-]+@)?[[A-Za-z0-9][]A-Za-z0-9.:_-]*$'

usage() {
	cat <<-EOT
		Usage: warp-ssh.sh start|stop|status [options] HOSTS

		start   starts a client on each host that has none, and prints the --warp-client to use
		stop    ends the clients, and removes their tokens; recordings and logs stay
		status  tells where a client runs

		HOSTS is as for warp: a comma separated list of [user@]host, with ranges as in node{1...10}, or file:NAME with a host on
		each line. How to reach them (users, keys, ports, jumps) is a matter of ~/.ssh/config.

		-t FILE    the token that clients and coordinator share (needed by start)
		-b FILE    copy this warp to the hosts; without, warp must be in their PATH
		-p PORT    port of the clients (default: 7761)
		-j NUMBER  how many hosts at a time (default: 20)
		-h         help
	EOT
}

fail() {
	echo "warp-ssh.sh: $*" >&2
	exit 1
}
wrong() {
	echo "warp-ssh.sh: $*" >&2
	usage >&2
	exit 2
}

parse() {
	case ${1-} in
	start | stop | status) verb=$1 && shift ;;
	-h | --help) usage && exit ;;
	*) wrong "say start, stop or status" ;;
	esac
	local option
	while getopts :t:b:p:j:h option; do
		case $option in
		t) token_file=$OPTARG ;;
		b) binary=$OPTARG ;;
		p) port=$OPTARG ;;
		j) parallel=$OPTARG ;;
		h) usage && exit ;;
		:) wrong "-$OPTARG needs a value" ;;
		*) wrong "there is no option -$OPTARG" ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -eq 1 ] || wrong "say which hosts, as one argument"
	hosts_text=$1
	if [[ ! $port =~ ^[1-9][0-9]{0,4}$ ]] || ((port > 65535)); then wrong "-p: \"$port\" is not a port"; fi
	[[ $parallel =~ ^[1-9][0-9]{0,3}$ ]] || wrong "-j: \"$parallel\" is not a number"
	[ "$verb" != start ] || check_files
}

# check_files: reads the token into token.
check_files() {
	[ -n "$token_file" ] || wrong "start needs a token: -t FILE; to make one: (umask 077; head -c 32 /dev/urandom | base64 > FILE)"
	[ -r "$token_file" ] || fail "the token $token_file cannot be read"
	[ -z "$(find -L "$token_file" -perm /077)" ] || fail "others may read the token $token_file; chmod 600 $token_file"
	token=$(cat "$token_file")
	# It becomes a line of a shell script.
	[[ $token =~ ^[A-Za-z0-9+/=._~-]+$ ]] || fail "the token $token_file is not one line of letters, digits and +/=._~-"
	[ -z "$binary" ] || [ -x "$binary" ] || fail "$binary is not a program"
}

# expand TEXT: its hosts, one on each line; ranges may stand anywhere and more than once.
expand() {
	local text=$1 first last width i
	if [[ $text =~ ^([^{]*)\{([0-9]+)\.\.\.([0-9]+)\}(.*)$ ]]; then
		local before=${BASH_REMATCH[1]} after=${BASH_REMATCH[4]}
		first=${BASH_REMATCH[2]} last=${BASH_REMATCH[3]} width=0
		[[ $first != 0?* ]] || width=${#first}
		((10#$first <= 10#$last)) || fail "\"$1\": the range {$first...$last} runs backwards"
		for ((i = 10#$first; i <= 10#$last; i++)); do expand "$before$(printf "%0${width}d" "$i")$after"; done
	else
		[[ $text =~ $host_pattern ]] || fail "\"$text\" is not a host"
		printf '%s\n' "$text"
	fi
}

# read_hosts: fills hosts.
read_hosts() {
	local item items=() expanded
	if [[ $hosts_text == file:* ]]; then
		[ -r "${hosts_text#file:}" ] || fail "the file ${hosts_text#file:} cannot be read"
		while read -r item || [ -n "$item" ]; do
			[[ -z $item || $item == "#"* ]] || items+=("$item")
		done <"${hosts_text#file:}"
	else
		IFS=, read -ra items <<<"$hosts_text"
	fi
	hosts=()
	for item in ${items[@]+"${items[@]}"}; do
		expanded=$(expand "$item")
		while read -r item; do hosts+=("$item"); done <<<"$expanded"
	done
	[ ${#hosts[@]} -gt 0 ] || fail "there are no hosts in $hosts_text"
}

# on HOST COMMAND: ssh wants addresses without brackets, and must not ask.
on() {
	local host=${1//[\[\]]/}
	shift
	"$ssh" -o BatchMode=yes -o ConnectTimeout=10 -- "$host" "$@"
}

# act HOST: does what is asked on one host. What remote.sh shall do stands before it.
act() {
	if [ -n "$binary" ]; then
		on "$1" 'umask 077 && mkdir -p .warp-client && cat > .warp-client/warp.part && chmod 700 .warp-client/warp.part && mv .warp-client/warp.part .warp-client/warp' <"$binary"
	fi
	{
		echo "verb=$verb port=$port copied=${binary:+yes} token='${token-}'"
		cat "$here/remote.sh"
	} | on "$1" 'sh -s'
}

# all: acts on the hosts, some at a time, and tells of them in their order.
all() {
	local i running=0 status=0
	results=$(mktemp -d)
	trap 'rm -rf "$results"' EXIT
	for i in "${!hosts[@]}"; do
		if ((running >= parallel)); then
			wait -n || true
			running=$((running - 1))
		fi
		(act "${hosts[i]}" >"$results/$i" 2>&1 || echo failed >"$results/$i.failed") &
		running=$((running + 1))
	done
	wait
	for i in "${!hosts[@]}"; do
		if [ -e "$results/$i.failed" ]; then
			status=1
			echo "${hosts[i]}: FAILED: $(tr '\n' ' ' <"$results/$i")" >&2
		else
			echo "${hosts[i]}: $(tr '\n' ' ' <"$results/$i")" >&2
		fi
	done
	return "$status"
}

# clients: the hosts as --warp-client wants them.
clients() {
	local host list=
	for host in "${hosts[@]}"; do
		host=${host#*@}
		[[ $host != *:*:* || $host == \[* ]] || host=[$host]
		list+=${list:+,}$host:$port
	done
	echo "$list"
}

parse "$@"
read_hosts
all || exit 1
[ "$verb" != start ] || echo "--warp-client=$(clients)"
