package cli

import (
	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/metrics"
)

// pushFlags have the totals of a run sent to others while it goes on.
type pushFlags struct{ otlp, remoteWrite, influx string }

func (p *pushFlags) flags(e *Env) []cli.Flag {
	return categorize(catViews, []cli.Flag{
		&cli.StringFlag{Name: "otlp", Destination: &p.otlp, Sources: e.source("WARP_OTLP"), Usage: "`URL` send metrics by OTLP over HTTP every 10s: http://collector:4318; with http://TOKEN@ or http://USER:PASSWORD@ where it wants that"},
		&cli.StringFlag{Name: "remote-write", Destination: &p.remoteWrite, Sources: e.source("WARP_REMOTE_WRITE"), Usage: "`URL` send metrics by Prometheus remote write every 10s: http://prometheus:9090/api/v1/write"},
		&cli.StringFlag{Name: "influxdb", Destination: &p.influx, Sources: e.source("WARP_INFLUXDB_CONNECT"), Usage: "`URL` send metrics to InfluxDB every 10s: http://TOKEN@HOST:PORT/BUCKET/ORG?TAG=VALUE"},
	})
}

// receivers returns those that are asked for.
func (p *pushFlags) receivers() (list []*metrics.Receiver, errs []error) {
	for form, address := range map[metrics.Form]string{metrics.OTLP: p.otlp, metrics.RemoteWrite: p.remoteWrite, metrics.InfluxDB: p.influx} {
		if address == "" {
			continue
		}
		r, err := metrics.NewReceiver(form, address)
		if err != nil {
			errs = append(errs, option.Wrap(string(form), err))
			continue
		}
		list = append(list, r)
	}
	return list, errs
}
