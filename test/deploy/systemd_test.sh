#!/usr/bin/env bash
# Tests deploy/systemd with systemd-analyze, if there is one; with a program in the place of warp, since that must exist.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

units=$top/deploy/systemd
readonly exposure=20 # tenths; of 100, as "systemd-analyze security" counts

test_verify() {
	sed "s:/usr/local/bin/warp:/bin/true:" "$units/warp-client$1.service" >"$work/warp-client$1.service"
	# It warns of whatever it does not understand, and may end with 0 nevertheless.
	systemd-analyze verify --man=no "$work/warp-client$1.service" >"$work/verdict" 2>&1
	grep -F "warp-client" "$work/verdict" && return 1
	return 0
}

test_hardened() { systemd-analyze security --offline=true --threshold="$exposure" "$work/warp-client$1.service"; }

# What verify would say of a misspelt line, it must say.
test_verify_sees_faults() {
	cp "$work/warp-client.service" "$work/warp-client-faulty.service"
	sed -i 's/^ProtectHome=/ProtectHomes=/' "$work/warp-client-faulty.service"
	systemd-analyze verify --man=no "$work/warp-client-faulty.service" 2>&1 | grep -F ProtectHomes
}

# The two units differ in what makes them two.
test_alike() {
	equal "Description ExecStart StateDirectory WorkingDirectory" \
		"$(diff <(grep -v '^#' "$units/warp-client.service") <(grep -v '^#' "$units/warp-client@.service") | sed -n 's/^> \([A-Za-z]*\)=.*/\1/p' | paste -sd ' ')"
}

test_no_secret_in_argv() { contains "ExecStart=/usr/local/bin/warp client --token-file=%d/token " "$units/warp-client$1.service"; }

check "systemd: both units are alike" test_alike
for unit in "" @; do check "systemd: warp-client$unit reads the token from a file" test_no_secret_in_argv "$unit"; done
if command -v systemd-analyze >/dev/null; then
	for unit in "" @; do
		check "systemd: warp-client$unit.service is understood" test_verify "$unit"
		check "systemd: warp-client$unit.service is hardened" test_hardened "$unit"
	done
	check "systemd: faults would be seen" test_verify_sees_faults
else
	say "skip  systemd: systemd-analyze is not installed"
fi
summary
