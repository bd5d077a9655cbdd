#!/usr/bin/env bash
# install.sh: installs Chromium, and what drives it, unless they are there. Needs Node.js.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! command -v chromium >/dev/null; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
fi
if ! cmp -s "$here/package-lock.json" "$tools/package-lock.json"; then
	mkdir -p "$tools"
	cp "$here/package.json" "$tools/"
	rm -f "$tools/package-lock.json"
	cp "$here/package-lock.json" "$tools/npm-shrinkwrap.json"
	(cd "$tools" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
	mv "$tools/npm-shrinkwrap.json" "$tools/package-lock.json"
fi
