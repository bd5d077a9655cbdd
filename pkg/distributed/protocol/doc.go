// Package protocol has the messages between a coordinator and its clients. The coordinator dials every client, see transport.
// Times on the wire are nanoseconds of Unix time on the coordinator's clock, except for those in "clock"; the client corrects
// them by the offset that the coordinator measured.
//
// An authenticated connection goes through these states; any other message ends it with "refuse":
//
//	state            coordinator sends      client sends           next
//	authenticated    hello, clock           welcome, clock         authenticated
//	authenticated    join                   joined | refuse        session | closed
//	session          see below              see below
//
// A session belongs to a run; join and joined state how far each side has come. Only live messages may be lost. Bounds,
// aggregated and snapshot travel in chunks.
//
//	state of a run   coordinator sends              client sends
//	joined           secrets, start                 -
//	running          make, value, go, stop          once, made, meet, notice, live, steps
//	measured         parting                        measured
//	clock known      windows                        chunk..., bounds
//	aggregated       fetch (snapshot) or keep       chunk..., aggregated, chunk..., snapshot
//	handover         fetch (recording) or keep      chunk..., handed
//	clean-up         go                             meet, live, done
//	done             bye                            closes the connection, and is free
//
// In a run:
//
//	once, make, made, value   the first client that requests a key makes the value for all
//	meet, go                  a client has reached a barrier; all clients have
//	stop                      ends the benchmark early, or one phase at the same instant for all clients; what was measured counts
//	steps                     what a client counts in sliding windows that the coordinator judges; the last ones come before measured
//	parting                   the client's clock after the measurement: its statistics are on the coordinator's clock
//
// The holder of the token is a coordinator, and can have clients put load on any host.
package protocol

import (
	"time"

	"warp/pkg/distributed/transport"
)

// Timing bounds how long things take.
type Timing struct {
	transport.Timing
	Greeting     time.Duration // from proof to join
	RetryMin     time.Duration // between attempts to reconnect, which grows from this
	RetryMax     time.Duration // to this
	Lead         time.Duration // from the decision to begin until the common start
	LiveInterval time.Duration // between live messages
	Stall        time.Duration // without progress in its handover, after which a client is dropped
	Goodbye      time.Duration // for the end of a session
}

// DefaultTiming is for all runs but tests.
var DefaultTiming = Timing{
	Timing:       transport.Timing{Handshake: 10 * time.Second, Ping: 5 * time.Second, Silence: 20 * time.Second, Write: 10 * time.Second},
	Greeting:     time.Minute,
	RetryMin:     200 * time.Millisecond,
	RetryMax:     5 * time.Second,
	Lead:         2 * time.Second,
	LiveInterval: time.Second,
	Stall:        time.Minute,
	Goodbye:      5 * time.Second,
}

// DefaultGrace is how long a client goes on, and a coordinator waits, until the other side reconnects.
const DefaultGrace = 30 * time.Second
