package flags

import (
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/metrics"
)

// Push have the totals of a run sent to others while it goes on.
type Push struct {
	otlp, remoteWrite, influx string
	Interval                  time.Duration
}

// Flags name the receivers of metrics.
func (p *Push) Flags(e *process.Env) []cli.Flag {
	return Categorize(catViews, []cli.Flag{
		&cli.StringFlag{
			Name:        "otlp",
			Destination: &p.otlp,
			Usage:       "`URL` send metrics by OTLP: http://HOST:4318",
		},
		&cli.StringFlag{
			Name:        "remote-write",
			Destination: &p.remoteWrite,
			Usage:       "`URL` send metrics by Prometheus remote write: http://HOST:9090/api/v1/write",
		},
		&cli.StringFlag{
			Name:        "influxdb",
			Destination: &p.influx,
			Sources:     e.Source("WARP_INFLUXDB_CONNECT"),
			Usage:       "`URL` send metrics to InfluxDB: http://TOKEN@HOST:PORT/BUCKET/ORG",
		},
		&cli.DurationFlag{
			Name:        "push-interval",
			Destination: &p.Interval,
			Value:       metrics.PushInterval,
			Usage:       "`DURATION` time between sending metrics",
		},
	})
}

// Receivers returns those that are asked for.
func (p *Push) Receivers() (list []*metrics.Receiver, errs []error) {
	for _, to := range []struct {
		form    metrics.Form
		address string
	}{{metrics.OTLP, p.otlp}, {metrics.RemoteWrite, p.remoteWrite}, {metrics.InfluxDB, p.influx}} {
		if to.address == "" {
			continue
		}
		r, err := metrics.NewReceiver(to.form, to.address)
		if err != nil {
			errs = append(errs, option.Wrap(string(to.form), err))
			continue
		}
		list = append(list, r)
	}
	switch {
	case len(list)+len(errs) == 0 && p.Interval != 0 && p.Interval != metrics.PushInterval:
		errs = append(errs, option.Errorf("push-interval", "nothing is sent without --otlp, --remote-write or --influxdb"))
	case len(list) > 0 && p.Interval < metrics.MinInterval:
		errs = append(errs, option.Invalid("push-interval", p.Interval, "at least 1s"))
	}
	return list, errs
}
