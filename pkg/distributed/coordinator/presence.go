package coordinator

import (
	"time"

	"warp/pkg/runinfo"
)

// presence is whether a client takes part in the run, and how its connection went.
type presence struct {
	connected bool
	leaving   bool      // the run is over for it
	lostAt    time.Time // when the connection was lost; zero: it is connected
	outages   []runinfo.Outage
	err       error // why the client was dropped
}

// reconnected records a new connection, and returns how long there was none.
func (p *presence) reconnected(now time.Time) (outage time.Duration) {
	outage = now.Sub(p.lostAt)
	p.connected = true
	p.outages = append(p.outages, runinfo.Outage{From: p.lostAt, To: now})
	p.lostAt = time.Time{}
	return outage
}

// drop ends the client's part in the run.
func (p *presence) drop(why error, now time.Time) {
	if p.lostAt.IsZero() {
		p.lostAt = now
	}
	p.err, p.connected = why, false
	p.outages = append(p.outages, runinfo.Outage{From: p.lostAt, Final: true})
}
