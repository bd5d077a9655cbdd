#!/usr/bin/env bash
# Writes what completes warp's commands and flags in bash, zsh and fish, where these shells look for it.
set -euo pipefail

usage() {
	cat <<-EOT
		Usage: install.sh [-w WARP] [PREFIX]

		Installs completions below PREFIX (default: ~/.local; /usr/local for all users), printed by WARP (default: warp):
		  PREFIX/share/bash-completion/completions/warp
		  PREFIX/share/zsh/site-functions/_warp
		  PREFIX/share/fish/vendor_completions.d/warp.fish
	EOT
}

warp=warp
while getopts w:h option; do
	case $option in
	w) warp=$OPTARG ;;
	h) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || { usage >&2 && exit 2; }
prefix=${1:-$HOME/.local}

command -v "$warp" >/dev/null || { echo "install.sh: there is no program $warp; name it with -w" >&2 && exit 1; }

# install_completion SHELL FILE: the file appears complete or not at all.
install_completion() {
	local file=$prefix/share/$2 text
	text=$("$warp" completion "$1")
	mkdir -p "$(dirname "$file")"
	printf '%s\n' "$text" >"$file.part"
	mv "$file.part" "$file"
	echo "$file"
}

install_completion bash bash-completion/completions/warp
install_completion zsh zsh/site-functions/_warp
install_completion fish fish/vendor_completions.d/warp.fish

# Zsh looks in few directories by itself, and in none below a home directory.
functions=$prefix/share/zsh/site-functions
# shellcheck disable=SC2016 # zsh expands it
if command -v zsh >/dev/null && ! zsh -fc 'print -rl -- $fpath' | grep -qxF -- "$functions"; then
	echo "zsh does not look there; add this line to ~/.zshrc, before compinit:"
	echo "  fpath=($functions \$fpath)"
fi
