#!/usr/bin/env bash
# Tests deploy/fly against the stand-in fly/flyctl, which keeps state and writes down all calls: machines and secrets.
. "$(dirname "${BASH_SOURCE[0]}")/fly/lib.sh"

test_first_run() {
	fresh
	benchmark >out 2>err
	equal "warp-node-iad-0 warp-node-iad-1 warp-node-iad-2 warp-node-iad-3 warp-node-iad-4" "$(names)"
	equal "WARP_ACCESS_KEY WARP_SECRET_KEY WARP_TOKEN" "$(secret_names)"
	equal "WARP_SECRET_KEY=$secret" "$(grep SECRET "$FLY_STATE/secrets")"
	equal 1 "$(calls deploy)"
	equal 5 "$(calls 'machine run registry.fly.io/test-app:warp-[0-9]* client :7761 ')"
	jq -e 'all(.[]; .config.metadata.warp_benchmark == "yes")' "$FLY_STATE/machines.json"
	equal "report of /warp get" "$(cat out)"
	contains "[INFO]  Checking if node exists... (name: warp-node-iad-4, vm-size: shared-cpu-4x)" err
	equal recording "$(cat warp-fly-get-*.csv.zst)"
	no_secrets_in_calls
}

test_second_run_makes_nothing() {
	fresh
	benchmark
	local token
	token=$(grep TOKEN "$FLY_STATE/secrets")
	forget_calls
	benchmark
	equal 0 "$(calls 'machine run')"
	equal 0 "$(calls deploy)"
	equal 0 "$(calls 'machine update')"
	equal 1 "$(calls 'ssh console')"
	equal "$token" "$(grep TOKEN "$FLY_STATE/secrets")"
}

test_keys_of_the_app_are_enough() {
	fresh
	benchmark
	forget_calls
	"$script"
	equal 0 "$(calls 'secrets import')"
	equal 1 "$(calls 'ssh console')"
}

test_new_keys_reach_the_coordinator() {
	fresh
	benchmark
	local id
	id=$(jq -r '.[0].id' "$FLY_STATE/machines.json")
	forget_calls
	"$script" -a "$access" -p anotherVerySecretKey
	equal 1 "$(calls 'machine update')"
	equal 1 "$(calls "machine update $id ")"
	no_secrets_in_calls
}

test_keys_from_the_environment() {
	fresh
	WARP_ACCESS_KEY=$access WARP_SECRET_KEY=$secret "$script" -n 2
	equal "WARP_SECRET_KEY=$secret" "$(grep SECRET "$FLY_STATE/secrets")"
	no_secrets_in_calls
}

test_more_nodes_are_added_with_the_same_image() {
	fresh
	benchmark -n 2
	local image
	image=$(jq -r '.[0].config.image' "$FLY_STATE/machines.json")
	forget_calls
	benchmark -n 4
	equal 2 "$(calls "machine run $image ")"
	equal 0 "$(calls deploy)"
}

test_fewer_nodes_leave_a_warning() {
	fresh
	benchmark -n 4
	benchmark -n 2 2>err
	contains "[WARN]  nodes of earlier runs are not used, but cost money; -s destroys them: warp-node-iad-2 warp-node-iad-3" err
}

test_image_of_the_user() {
	fresh
	WARP_FLY_IMAGE=registry.example.com/warp:1 benchmark -n 2
	equal 0 "$(calls deploy)"
	equal 2 "$(calls 'machine run registry.example.com/warp:1 ')"
}

test_regions_are_dealt_out() {
	fresh
	benchmark -r iad,ord,sjc -n 5
	equal "warp-node-iad-0 warp-node-iad-1 warp-node-ord-2 warp-node-sjc-3 warp-node-iad-4" "$(names)"
	equal "iad iad ord sjc iad" "$(jq -r '[.[].region] | join(" ")' "$FLY_STATE/machines.json")"
}

# others: machines that somebody else made.
others() {
	echo '[{"id": "other1", "name": "database", "state": "started", "config": {"image": "db"}},
		{"id": "other2", "name": "warp-node-old", "state": "started", "config": {"image": "x", "metadata": {"warp_benchmark": "no"}}}]' >"$FLY_STATE/machines.json"
	echo "DATABASE_URL=x" >"$FLY_STATE/secrets"
}

test_shutdown_destroys_what_is_tagged() {
	fresh
	others
	benchmark -r iad,ord -n 3
	forget_calls
	"$script" -s
	equal 3 "$(calls 'machine destroy')"
	equal "database warp-node-old" "$(names)"
	equal "DATABASE_URL" "$(secret_names)"
	forget_calls
	"$script" -s 2>err
	equal 0 "$(calls 'machine destroy')"
	equal 0 "$(calls 'secrets unset')"
	contains "Nothing of this script is left" err
}

test_shutdown_leaves_keys_that_were_there() {
	fresh
	printf 'WARP_ACCESS_KEY=a\nWARP_SECRET_KEY=b\n' >"$FLY_STATE/secrets"
	"$script" -n 2
	"$script" -s
	equal "WARP_ACCESS_KEY WARP_SECRET_KEY" "$(secret_names)"
}

test_secrets_that_stand_for_keys() {
	local secrets
	for secrets in 'AWS_ACCESS_KEY_ID=a\nAWS_SECRET_ACCESS_KEY=b\n' 'AWS_ROLE_ARN=arn:aws:iam::123456789012:role/warp\n'; do
		fresh
		printf '%b' "$secrets" >"$FLY_STATE/secrets"
		"$script" -n 2
	done
	fresh
	printf 'AWS_ACCESS_KEY_ID=a\n' >"$FLY_STATE/secrets"
	refuses 1 'no keys' "$script" -n 2
}

test_name_of_somebody_else() {
	fresh
	echo '[{"id": "other1", "name": "warp-node-iad-1", "state": "started", "config": {"image": "x"}}]' >"$FLY_STATE/machines.json"
	refuses 1 'ERROR. machine warp-node-iad-1 \(other1\) was not made by this script' benchmark
	equal 0 "$(calls 'machine (destroy|update|start)')"
}

test_stopped_nodes_are_started() {
	fresh
	benchmark -n 3
	jq '.[1].state = "stopped" | .[2].state = "suspended"' "$FLY_STATE/machines.json" >m && mv m "$FLY_STATE/machines.json"
	forget_calls
	benchmark -n 3
	equal 2 "$(calls 'machine start')"
	equal 1 "$(calls 'ssh console')"
}

test_machines_that_are_gone_are_made_again() {
	fresh
	benchmark -n 2
	jq '.[1].state = "destroyed"' "$FLY_STATE/machines.json" >m && mv m "$FLY_STATE/machines.json"
	forget_calls
	benchmark -n 2
	equal 1 "$(calls 'machine run')"
}

test_waits_for_ready_nodes() {
	fresh
	benchmark -n 2
	# Made, started, passing: the run came after the third look at the earliest.
	[ "$(sed '/^ssh console/,$d' "$FLY_STATE/calls" | grep -c '^machine list')" -ge 3 ]
}

test_never_ready() {
	fresh
	export FLY_NEVER_READY=warp-node-iad-1 WARP_FLY_READY_SECONDS=0
	refuses 1 'after 0 s these are not ready: .*warp-node-iad-1\(' benchmark -n 2
	equal 0 "$(calls 'ssh console')"
}

test_failure_half_way_can_be_repeated() {
	fresh
	FLY_FAIL="machine run:3" refuses 1 'node warp-node-iad-2 cannot be made; what was made so far stays' benchmark
	equal "warp-node-iad-0 warp-node-iad-1" "$(names)"
	equal 0 "$(calls 'ssh console')"
	benchmark
	equal "warp-node-iad-0 warp-node-iad-1 warp-node-iad-2 warp-node-iad-3 warp-node-iad-4" "$(names)"
}

# Every call may fail; the script says so and ends with 1.
test_failing_call() {
	fresh
	FLY_FAIL=$1 refuses 1 "ERROR. .*$2" benchmark -n 2
}

test_failing_destroy() {
	fresh
	benchmark -n 2
	FLY_FAIL="machine destroy:1" refuses 1 'not destroyed: warp-node-iad-0; run this again' "$script" -s
	equal "warp-node-iad-0" "$(names)"
	"$script" -s
	equal "" "$(names)"
}

test_failed_benchmark_still_brings_its_recording() {
	fresh
	FLY_SSH_STATUS=3 refuses 1 'the benchmark failed \(3\)' benchmark -n 2
	ls warp-fly-get-*.csv.zst
}

test_lost_token() {
	fresh
	benchmark -n 2
	sed -i /WARP_TOKEN/d "$FLY_STATE/secrets"
	refuses 1 'lost the secret WARP_TOKEN' benchmark -n 2
}

test_dry_run_changes_nothing() {
	fresh
	benchmark "$1" -n 3 2>err
	equal "" "$(names)"
	equal "" "$(secret_names)"
	equal 0 "$(grep -vcE '^(machine|secrets) list ' "$FLY_STATE/calls" || true)"
	contains "secrets import --stage --app test-app, with WARP_TOKEN WARP_ACCESS_KEY WARP_SECRET_KEY on standard input" err
	equal 3 "$(grep -c 'would run: .* machine run ' err)"
	contains "--warp-client=ID-OF-warp-node-iad-1.vm.test-app.internal:7761,ID-OF-warp-node-iad-2.vm.test-app.internal:7761" err
	lacks "$secret" err
	lacks "$access" err
	equal "" "$(ls ./*.zst 2>/dev/null)"
}

test_dry_shutdown_changes_nothing() {
	fresh
	benchmark -n 2
	forget_calls
	"$script" -s -x 2>err
	equal 2 "$(grep -c 'would run: .* machine destroy ' err)"
	equal "warp-node-iad-0 warp-node-iad-1" "$(names)"
}

check "fly: a first run makes five nodes, runs, and fetches the recording" test_first_run
check "fly: a second run makes nothing" test_second_run_makes_nothing
check "fly: keys that the app has are enough" test_keys_of_the_app_are_enough
check "fly: new keys reach the coordinator alone" test_new_keys_reach_the_coordinator
check "fly: keys from the environment" test_keys_from_the_environment
check "fly: more nodes are added with the same image" test_more_nodes_are_added_with_the_same_image
check "fly: fewer nodes leave a warning" test_fewer_nodes_leave_a_warning
check "fly: an image of the user" test_image_of_the_user
check "fly: nodes are dealt out over regions" test_regions_are_dealt_out
check "fly: shutdown destroys what is tagged, and only that" test_shutdown_destroys_what_is_tagged
check "fly: secrets that stand for keys" test_secrets_that_stand_for_keys
check "fly: shutdown leaves keys that were there before" test_shutdown_leaves_keys_that_were_there
check "fly: a machine of somebody else with our name" test_name_of_somebody_else
check "fly: stopped nodes are started" test_stopped_nodes_are_started
check "fly: machines that are gone are made again" test_machines_that_are_gone_are_made_again
check "fly: it waits until nodes are ready" test_waits_for_ready_nodes
check "fly: nodes that never get ready" test_never_ready
check "fly: a failure half-way can be repeated" test_failure_half_way_can_be_repeated
check "fly: machine list fails" test_failing_call "machine list" "cannot be listed"
check "fly: secrets list fails" test_failing_call "secrets list" "secrets of app test-app cannot be listed"
check "fly: secrets import fails" test_failing_call "secrets import" "secrets cannot be set"
check "fly: deploy fails" test_failing_call "deploy" "image cannot be built"
check "fly: machine run fails" test_failing_call "machine run" "node warp-node-iad-0 cannot be made"
check "fly: ssh console fails" test_failing_call "ssh console" "benchmark failed"
check "fly: ssh sftp fails" test_failing_call "ssh sftp" "cannot be fetched"
check "fly: machine destroy fails" test_failing_destroy
check "fly: a failed benchmark still brings its recording home" test_failed_benchmark_still_brings_its_recording
check "fly: a lost token" test_lost_token
check "fly: a dry run changes nothing (-x)" test_dry_run_changes_nothing -x
check "fly: a dry run changes nothing (--dry-run)" test_dry_run_changes_nothing --dry-run
check "fly: a dry shutdown changes nothing" test_dry_shutdown_changes_nothing
summary
