package flags

import (
	"errors"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/distributed/transport"
	"warp/pkg/s3/target"
)

// Clients make a benchmark the coordinator of clients on other machines.
type Clients struct {
	list   string
	Shared bool
	Wait   time.Duration
	Mesh   Mesh
}

// Flags name the clients, and how they are reached.
func (c *Clients) Flags() []cli.Flag {
	return append(Categorize(catClients, []cli.Flag{
		&cli.StringFlag{
			Name:        "warp-client",
			Destination: &c.list,
			Usage:       "`CLIENTS` clients to run on, host[:port],... (see \"warp help hosts\")",
		},
		&cli.DurationFlag{
			Name: "wait-clients", Destination: &c.Wait,
			Usage: "`DURATION` how long to wait for clients that aren't up yet",
		},
		&cli.BoolFlag{
			Name:        "shared-data",
			Destination: &c.Shared,
			Usage:       "with --warp-client: all clients share one data set",
		},
	}), c.Mesh.Flags()...)
}

// Clients are the addresses of all clients; none if the benchmark runs here.
func (c *Clients) Clients() ([]string, error) {
	switch {
	case c.Wait < 0:
		return nil, option.Invalid("wait-clients", c.Wait, "0 or more")
	case c.list == "" && c.Wait > 0:
		return nil, option.Errorf("wait-clients", "there are no clients to wait for (add --warp-client)")
	case c.list == "":
		return nil, c.Mesh.unused()
	}
	list, tls, err := target.ExpandHosts(c.list, readList)
	if err == nil && tls != nil {
		err = errors.New("clients are named by host and port, without http://")
	}
	if err != nil {
		return nil, option.Wrap("warp-client", err)
	}
	for i := range list {
		list[i] = transport.WithPort(list[i])
	}
	return list, c.Mesh.Files().Check()
}
