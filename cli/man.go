package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/cli/internal/usage"
)

// manCommand writes man pages, for packages and "make install". The root has all flags of all commands.
func manCommand(root func() *cli.Command) *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "write man pages", ArgsUsage: "DIRECTORY", Hidden: true,
		Description: "Writes a page for warp and for each of its commands into a directory, which is made if it is not there.",
		UsageText:   "warp man /usr/local/share/man/man1",
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return process.UsageError("man: want a directory, as in \"warp man /usr/local/share/man/man1\"")
			}
			return writeManPages(root(), c.Args().First())
		},
	}
}

// writeManPages writes all pages into a directory.
func writeManPages(root *cli.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range usage.ManPages(root) {
		if err := files.WriteText(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}
