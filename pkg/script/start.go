package script

import _ "embed"

// Start is a commented scenario to start with.
//
//go:embed start.warp.yaml
var Start string
