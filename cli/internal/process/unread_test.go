package process

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// TestVariablesOfBoundFlags: the flags of all commands are made only for variables that no flag in sight has, since that takes long.
func TestVariablesOfBoundFlags(t *testing.T) {
	env := testEnv()
	env.Environ = func() []string { return []string{"WARP_HOST=h"} }
	env.Commands = func() []*cli.Command {
		t.Error("all commands were made")
		return nil
	}
	env.BindVariables([]cli.Flag{&cli.StringFlag{Name: "host"}})
	env.WarnUnread()
}

// TestUnreadVariables: a variable that was probably meant for warp is told of once.
func TestUnreadVariables(t *testing.T) {
	env := testEnv()
	var told strings.Builder
	env.Stderr = &told
	env.Environ = func() []string {
		return []string{
			"WARP_HOST=h", "WARP_TOKEN=t", "WARP_HTTP_TOKEN=t", "WARP_TEST_HOST=h", "PATH=/bin", "WARPED=1", "WARP_SIZE=1", "WARP_ACCES_KEY=a", "WARP_NOTHING=b",
			"WARP_SERVICE_HOST=h", "WARP_SERVICE_PORT=1", "WARP_SERVICE_PORT_HTTP=1", "WARP_PORT=tcp://h:1", "WARP_PORT_7761_TCP=tcp://h:1",
			"WARP_CLIENT_SERVICE_HOST=h", "WARP_CLIENT_PORT_7761_TCP_PROTO=tcp", "WARP_FORCE=true", "WARP_OBJ_SIZE=1",
		}
	}
	env.Commands = func() []*cli.Command {
		sub := &cli.Command{Flags: []cli.Flag{&cli.StringFlag{Name: "obj.size"}, &cli.BoolFlag{Name: "force", Sources: CommandLineOnly()}}}
		c := &cli.Command{Flags: []cli.Flag{&cli.StringFlag{Name: "host"}, &cli.StringFlag{Name: "access-key"}}, Commands: []*cli.Command{sub}}
		env.BindVariables(c.Flags)
		env.BindVariables(sub.Flags)
		return []*cli.Command{c}
	}
	env.read = map[string]bool{"WARP_SIZE": true}
	env.WarnUnread()
	env.WarnUnread()
	const want = "The variable WARP_ACCES_KEY has no effect (did you mean WARP_ACCESS_KEY?).\n" +
		"The variable WARP_FORCE has no effect: --force is for the command line only.\nThe variable WARP_NOTHING has no effect.\n"
	if told.String() != want {
		t.Errorf("got\n%swant\n%s", told.String(), want)
	}
}
