#!/usr/bin/env bash
# install.sh: installs DuckDB and pandas into a virtual environment, unless they are there. Needs Python 3.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! cmp -s "$here/requirements.txt" "$tools/requirements.txt"; then
	python3 -m venv --clear "$tools"
	"$tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
	cp "$here/requirements.txt" "$tools/"
fi
