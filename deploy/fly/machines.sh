# shellcheck shell=bash disable=SC2154 # options and constants are set by benchmark.sh
# The machines of benchmark.sh and their secrets: looks, makes, waits, destroys. Sourced, not run.

# prepare: the programs, the app, and all of its machines that are there.
prepare() {
	local program
	for program in "$fly" jq; do
		command -v "$program" >/dev/null || fail "needs $program, which is not installed"
	done
	app=${FLY_APP:-$(sed -n 's/^app *= *"\(.*\)".*/\1/p' "$here/fly.toml")}
	matches "the name of the app in fly.toml" "$app" '[a-z0-9][a-z0-9-]*'
	look || fail "the machines of app $app cannot be listed; is it there (flyctl apps create $app), and are you logged in (flyctl auth login)?"
}

# look: reads the machines of the app, without those that are gone, into $machines.
look() {
	machines=$("$fly" machine list --app "$app" --json) || return
	machines=$(jq --arg tag "$tag" '[.[] | select(.state != "destroyed" and .state != "destroying")
		| {id, name, state, image: .config.image, ours: (.config.metadata[$tag] == "yes"),
		   keys: .config.metadata.warp_keys, ready: (.state == "started" and ((.checks // []) | length > 0 and all(.status == "passing")))}]' <<<"$machines")
}

# ours EXPRESSION: of each of the machines that carry the tag.
ours() { jq -r ".[] | select(.ours) | $1" <<<"$machines"; }

# node NAME EXPRESSION: of the machine with this name; nothing if there is none.
node() { jq -r --arg name "$1" ".[] | select(.name == \$name) | $2" <<<"$machines"; }

# change ARGUMENT...: runs flyctl, or says in a dry run that it would.
change() {
	if $dry_run; then
		echo "would run: $fly $*" >&2
	else
		"$fly" "$@" >&2 </dev/null
	fi
}

# secret_digests: a line for each secret of the app, of its name and what Fly.io shows of its value.
secret_digests() {
	"$fly" secrets list --app "$app" --json | jq -r '.[] | "\(.name // .Name) \(.digest // .Digest)"' ||
		fail "the secrets of app $app cannot be listed"
}

# import NAME=VALUE...: makes secrets of the app. The values are in no command line: printf is part of this shell.
import() {
	if $dry_run; then
		echo "would run: $fly secrets import --stage --app $app, with ${*%%=*} on standard input" >&2
	else
		printf '%s\n' "$@" | "$fly" secrets import --stage --app "$app" >&2 || fail "the secrets cannot be set"
	fi
}

# has_secrets DIGESTS NAME...: reports whether the app has all of these secrets.
has_secrets() {
	local digests=$1 name
	shift
	for name; do grep -q "^$name " <<<"$digests" || return 1; done
}

# ensure_secrets: a token for each deployment, made with its first machine; keys of the store if they are given here. Sets
# keys_changed.
ensure_secrets() {
	local before after new=()
	before=$(secret_digests)
	if [ -z "$(ours .id)" ]; then
		new+=("WARP_TOKEN=$(head -c 32 /dev/urandom | base64 | tr -d '\n')")
	elif ! grep -q '^WARP_TOKEN ' <<<"$before"; then
		fail "there are nodes, but app $app has lost the secret WARP_TOKEN; destroy them with -s and run this again"
	fi
	if [ -n "$access_key" ]; then
		new+=("WARP_ACCESS_KEY=$access_key" "WARP_SECRET_KEY=$secret_key")
	elif ! has_secrets "$before" WARP_ACCESS_KEY WARP_SECRET_KEY && ! has_secrets "$before" AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY &&
		! has_secrets "$before" AWS_ROLE_ARN; then
		fail "no keys: use -a and -p, or WARP_ACCESS_KEY and WARP_SECRET_KEY, in the environment or as secrets of app $app" \
			"(or its secrets AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_ROLE_ARN)"
	fi
	keys_changed=false
	[ ${#new[@]} -gt 0 ] || return 0
	import "${new[@]}"
	after=$(secret_digests)
	if [ "$(grep _KEY <<<"$before")" != "$(grep _KEY <<<"$after")" ]; then keys_changed=true; fi
}

# node_name I and node_region I: node 0 coordinates, in the first region; the clients are dealt out over all of them.
node_region() { echo "${region_list[$1 > 0 ? ($1 - 1) % ${#region_list[@]} : 0]}"; }
node_name() { echo "warp-node-$(node_region "$1")-$1"; }

# ensure_image: what runs on the nodes: that of the other nodes, WARP_FLY_IMAGE, or one built here and now. Sets image.
ensure_image() {
	[ -z "$image" ] || return 0
	image=$(ours '.image // empty' | head -n 1)
	image=${WARP_FLY_IMAGE:-$image}
	[ -z "$image" ] || return 0
	local label
	label=warp-$(date -u +%Y%m%d%H%M%S)
	info "Building the image $label..."
	change deploy "$here/../.." --app "$app" --config "$here/fly.toml" --dockerfile "$here/../container/Containerfile" \
		--build-only --push --image-label "$label" || fail "the image cannot be built"
	image=registry.fly.io/$app:$label
}

# ensure_node I: makes the node, or starts it.
ensure_node() {
	local name region id state tags=(--metadata "$tag=yes")
	local checks='{"checks":{"warp":{"type":"tcp","port":'$port',"interval":"5s","timeout":"2s","grace_period":"1s"}}}'
	name=$(node_name "$1") region=$(node_region "$1")
	info "Checking if node exists... (name: $name, vm-size: $vm_size)"
	id=$(node "$name" .id) state=$(node "$name" .state)
	if [ -z "$id" ]; then
		ensure_image
		if [ "$1" -eq 0 ] && [ -n "$access_key" ]; then tags+=(--metadata warp_keys=imported); fi
		info "Creating node... (name: $name, region: $region)"
		change machine run "$image" client ":$port" --app "$app" --name "$name" --region "$region" \
			--vm-size "$vm_size" --vm-memory "$vm_memory" --restart on-fail --detach "${tags[@]}" --machine-config "$checks" ||
			fail "node $name cannot be made; what was made so far stays, so that this can be run again, or -s destroy it"
		return
	fi
	[ "$(node "$name" .ours)" = true ] ||
		fail "machine $name ($id) was not made by this script, which leaves it alone; rename it, or use another app"
	if [ "$1" -eq 0 ] && $keys_changed; then
		change machine update "$id" --app "$app" --yes --metadata warp_keys=imported --metadata "warp_updated=$(date +%s)" ||
			fail "node $name does not take the new keys"
	elif [ "$state" = stopped ] || [ "$state" = suspended ]; then
		change machine start "$id" --app "$app" || fail "node $name cannot be started"
	fi
}

# await_nodes: until the port of every node answers to the checks of Fly.io.
await_nodes() {
	local until=$((SECONDS + ready_limit)) i name missing
	if $dry_run; then return; fi
	info "Waiting for $nodes nodes..."
	while :; do
		missing=
		look || fail "the machines of app $app cannot be listed any more"
		for ((i = 0; i < nodes; i++)); do
			name=$(node_name "$i")
			[ "$(node "$name" ".ours and .ready")" = true ] || missing+=" $name($(node "$name" .state))"
		done
		[ -n "$missing" ] || return 0
		((SECONDS < until)) || fail "after $ready_limit s these are not ready:$missing; see flyctl logs --app $app"
		sleep "$poll_interval"
	done
}

# address I: private name of a node.
address() {
	local id
	id=$(node "$(node_name "$1")" .id)
	echo "${id:-ID-OF-$(node_name "$1")}.vm.$app.internal"
}

warn_of_others() {
	local wanted="" i others
	for ((i = 0; i < nodes; i++)); do wanted+=" $(node_name "$i") "; done
	others=$(jq -r --arg wanted "$wanted" '[.[] | select(.ours) | .name as $n | select($wanted | contains(" " + $n + " ") | not) | $n] | join(" ")' <<<"$machines")
	[ -z "$others" ] || warn "nodes of earlier runs are not used, but cost money; -s destroys them: $others"
}

# destroy: all that carries the tag, in all regions, and the secrets that were made with it.
destroy() {
	local id name unset=() failed=
	while read -r id name; do
		[ -n "$id" ] || continue
		info "Destroying node... (name: $name)"
		change machine destroy "$id" --app "$app" --force || failed+=" $name"
	done < <(ours '"\(.id) \(.name)"')
	[ -z "$failed" ] || fail "not destroyed:$failed; run this again"
	if secret_digests | grep -q '^WARP_TOKEN '; then unset+=(WARP_TOKEN); fi
	if [ -n "$(ours 'select(.keys == "imported") | .id')" ]; then unset+=(WARP_ACCESS_KEY WARP_SECRET_KEY); fi
	[ ${#unset[@]} -eq 0 ] || change secrets unset "${unset[@]}" --stage --app "$app" || fail "the secrets ${unset[*]} cannot be removed"
	info "Nothing of this script is left in app $app."
}
