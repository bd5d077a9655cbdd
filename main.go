// Command warp measures S3-compatible object storage.
package main

import (
	"os"

	"warp/cli"
)

func main() { os.Exit(cli.Main(cli.OS())) }
