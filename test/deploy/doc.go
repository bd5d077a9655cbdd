// Package deploy tests what is in the directory deploy of warp, as far as that is possible without a cluster and without a
// container engine: see run.sh, which also runs the tests that are shell scripts.
package deploy
