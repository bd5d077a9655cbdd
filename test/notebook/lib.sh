# shellcheck shell=bash disable=SC2034 # what it sets is used by those that source it
# Common parts of the tests with DuckDB and pandas; sourced, not run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# A virtual environment of Python, outside of the checkout and kept between runs.
tools=${WARP_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warp-tools}/notebook
