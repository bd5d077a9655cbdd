#!/bin/sh
# Compares the sizes of binaries that README.md states with those of two files: warp, and warp without the embedded server.
# They may differ by 5%.
set -eu
stated=$(tr -s '\n ' ' ' < README.md | sed -n 's/.*The binary has \([0-9]*\) MB, or \([0-9]*\) MB without.*/\1 \2/p')
[ -n "$stated" ] || { echo "README.md states no sizes of binaries" >&2; exit 1; }
for want in $stated; do
	[ $# -gt 0 ] || { echo "usage: $0 BINARY BINARY-WITHOUT-SERVER" >&2; exit 2; }
	bytes=$(wc -c < "$1")
	least=$((want * 950000)) most=$((want * 1050000))
	if [ "$bytes" -lt $least ] || [ "$bytes" -gt $most ]; then
		echo "README.md states $want MB, but $1 has $bytes bytes" >&2
		exit 1
	fi
	shift
done
