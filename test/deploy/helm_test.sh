#!/usr/bin/env bash
# Tests deploy/helm and deploy/kubernetes: lint, rendering against golden/, refusals. "helm_test.sh update" writes golden/ and
# deploy/kubernetes anew. That all that is rendered is valid is tested in Go, see manifests_test.go.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

chart=$top/deploy/helm/warp
readonly kube_version=1.33.0 # for which is rendered; from 1.31 on it makes no difference

render() { "$tools/bin/helm" template warp "$chart" --namespace bench --kube-version "$kube_version" "$@"; }

# plain NAME: the manifests without Helm, rendered with values/plain.yaml, without the labels that speak of Helm.
plain() {
	local templates=(-s templates/service.yaml -s templates/clients.yaml -s templates/networkpolicy.yaml)
	[ "$1" = clients ] || templates=(-s templates/results.yaml -s templates/benchmark.yaml)
	cat "$here/plain/$1.header"
	render -f "$here/values/plain.yaml" "${templates[@]}" |
		grep -vE '^ *(app.kubernetes.io/managed-by|helm.sh/chart): |^# Source: |^  annotations:$|^    helm.sh/resource-policy: |^$'
}

update() {
	local v
	for v in "$here"/values/*.yaml; do render -f "$v" >"$here/golden/$(basename "$v")"; done
	for v in clients benchmark; do plain "$v" >"$top/deploy/kubernetes/$v.yaml"; done
}

test_lint() { "$tools/bin/helm" lint --strict --kube-version "$kube_version" "$chart" "$@"; }

test_golden() {
	render -f "$here/values/$1" >"$work/rendered"
	same "$here/golden/$1" "$work/rendered"
}

test_plain() {
	plain "$1" >"$work/plain"
	same "$top/deploy/kubernetes/$1.yaml" "$work/plain"
}

test_generated_token() {
	local first second
	first=$(render | sed -n 's/^  token: //p' | base64 -d)
	second=$(render | sed -n 's/^  token: //p' | base64 -d)
	[ ${#first} -ge 43 ]
	[ "$first" != "$second" ]
	render --set token.existingSecret=x >"$work/rendered"
	lacks "kind: Secret" "$work/rendered"
}

test_notes() {
	"$tools/bin/helm" install warp "$chart" --dry-run=client --namespace bench -f "$here/values/$1" >"$work/notes"
	contains "$2" "$work/notes"
}

test_each_revision_has_its_job() {
	"$tools/bin/helm" template warp "$chart" -f "$here/values/benchmark.yaml" --is-upgrade >"$work/rendered"
	contains "name: warp-run-1" "$work/rendered"
}

test_long_names() {
	local long=a-release-with-a-name-as-long-as-helm-allows-them-53c name
	"$tools/bin/helm" template "$long" "$chart" -f "$here/values/indexed.yaml" >"$work/rendered"
	while read -r name; do
		# A pod's host name has the number of the pod behind it.
		[ ${#name} -le 57 ] || { echo "$name is too long" && return 1; }
	done < <(sed -n 's/^  name: //p' "$work/rendered")
}

test_refused() {
	local pattern=$1
	shift
	refuses 1 "$pattern" render -f "$here/values/benchmark.yaml" "$@"
}

test_every_value_is_explained() {
	local name
	while read -r name; do
		grep -qF -- "\`$name\`" "$chart/README.md" || { echo "README.md does not explain $name" && return 1; }
	done < <("$tools/bin/helm" show values "$chart" | awk '
		/^ *(#|$)/ { next }
		{ match($0, /^ */); depth = RLENGTH / 2; key = $1; sub(/:$/, "", key); path[depth] = key
		  if ($0 ~ /: *[^ #]/ && key != "emptyDir") { p = path[0]; for (i = 1; i <= depth; i++) p = p "." path[i]; print p } }')
}

"$here/install.sh" helm
if [ "${1-}" = update ]; then
	update
	exit
fi

check "helm: lint" test_lint
for values in "$here"/values/*.yaml; do
	values=$(basename "$values")
	check "helm: lint with $values" test_lint -f "$here/values/$values"
	check "helm: rendered with $values" test_golden "$values"
done
check "helm: plain manifest of the clients" test_plain clients
check "helm: plain manifest of the benchmark" test_plain benchmark
check "helm: a generated token" test_generated_token
check "helm: notes without a benchmark" test_notes clients.yaml "There is no benchmark yet"
check "helm: notes with a volume" test_notes benchmark.yaml "kubectl cp bench/fetch:/results ./results"
check "helm: notes of an indexed Job" test_notes indexed.yaml "job-completion-index=0"
check "helm: notes with an upload" test_notes full.yaml "uploads the recording"
check "helm: a name for each Job" test_each_revision_has_its_job
check "helm: long names" test_long_names
check "helm: every value is explained" test_every_value_is_explained
check "helm: an unknown value is refused" test_refused "clients" --set clients.replicas=3
check "helm: an unknown mode is refused" test_refused "mode" --set mode=daemon
check "helm: no clients are refused" test_refused "count" --set clients.count=0
check "helm: secrets as flags are refused" test_refused "invalid propertyName .secret-key" --set benchmark.flags.secret-key=x
check "helm: flags of the chart are refused" test_refused "invalid propertyName .warp-client" --set benchmark.flags.warp-client=x
check "helm: lists as flags are refused" test_refused "flags" --set 'benchmark.flags.prefix={a,b}'
check "helm: a command that is no benchmark is refused" test_refused "command" --set benchmark.command=serve
check "helm: a benchmark without a store is refused" test_refused "s3.host: a benchmark needs a store" --set s3.host=
check "helm: a benchmark without keys is refused" test_refused "s3.secretKey: set it" --set s3.secretKey=
check "helm: a role together with keys is refused" test_refused "s3.useRole: the keys come from the role" --set s3.useRole=true
check "helm: annotations of an existing service account are refused" test_refused "set serviceAccount.create" --set serviceAccount.annotations.a=b
check "helm: an upload without an image is refused" test_refused "results.upload.image" --set results.upload.enabled=true
check "helm: an upload without a command is refused" test_refused "results.upload.command" --set results.upload.enabled=true --set results.upload.image=x
check "helm: an indexed Job with a volume for one node is refused" test_refused "needs ReadWriteMany" --set mode=indexedJob
check "helm: an indexed Job in an old cluster is refused" test_refused "needs Kubernetes 1.31" --set mode=indexedJob --set results.type=emptyDir --kube-version 1.30.0
summary
