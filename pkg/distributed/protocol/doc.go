// Package distributed makes many machines measure as one. Client is the daemon that runs on each of them; Run is the
// coordinator, which performs a plan with many clients and returns one result. Every client performs the same bench.Run
// as a local benchmark, with its own share of keys and schedule; parameters of the plan apply to each client.
//
// # Protocol
//
// The coordinator dials every client: a websocket over TLS 1.3, path /warp. A frame of text is one JSON control message
//
//	{"type":"meet","seq":7,"ack":12,"body":{...}}
//
// and a binary frame is a piece of a recording: seq and ack as big-endian 64-bit numbers, then at most 64 KiB. Each type
// has a greatest length, see limits. Times on the wire are nanoseconds of Unix time on the coordinator's clock, but for
// those in "clock"; the client corrects by the offset that the coordinator measured.
//
// A connection goes through these states; anything else than what the table allows ends it, with "refuse" where the other
// side is known:
//
//	state          coordinator sends      client sends           next
//	connected                             challenge              asked
//	asked          proof                                         proved
//	proved                                accept | refuse        greeting | closed
//	greeting       hello, clock           welcome, clock         greeting
//	greeting       join                   joined | refuse        session | closed
//	session        see below              see below
//
// The proof is an HMAC over the keying material exported from this very TLS session (RFC 8446, 7.5) and a nonce of each
// side, with a key derived from the token; see proof. The coordinator proves first, so that the open port tells strangers
// nothing but the version of the protocol and whether a token is needed.
//
// A session belongs to a run and outlives its connections. Messages with a seq are delivered once and in order: they are
// kept until the other side acknowledges that it has consumed them, and sent again over the next connection, whose join and
// joined tell up to where each side has come. At most window of them may be unacknowledged, which is the flow control.
// Messages without a seq (live, ack) may be lost. Bounds, aggregated and snapshot may be long: their bodies come before them
// in chunks, and they say the length.
//
//	state of a run   coordinator sends              client sends
//	joined           secrets, start                 -
//	running          make, value, go, stop          once, made, meet, notice, live
//	measured         parting                        measured
//	clock known      windows                        chunk..., bounds
//	aggregated       fetch (snapshot) or keep       chunk..., aggregated, chunk..., snapshot
//	handing over     fetch (recording) or keep      chunk..., handed
//	cleaning up      go                             meet, live, done
//	done             bye                            closes the connection, and is free
//
// make and value answer once: the first client that asks for a key is told to make it, and all get its bytes. go answers
// meet when all clients have arrived. stop ends the benchmark before its time, or a phase of it at an instant of all clients;
// what was measured counts. parting tells the client how its clock has gone, so that all it computes is on the coordinator's.
//
// # Who can do what
//
// Without the token one can connect, and be disconnected: connections that did not prove the token are few, short, small
// and, after failures, refused for a while, see guard. An attacker who floods the port can thereby keep a coordinator out
// for as long as it floods; it learns nothing and changes nothing, and no run under way notices. Someone between the two
// sides can delay and cut; reading or changing anything would take a TLS session of its own, in which the proof fails.
// Someone who poses as a client gets one HMAC to guess the token with at leisure: a token must be random. With the token
// one is the coordinator, and can have the client put load on any host.
package protocol

import (
	"time"

	"warp/pkg/distributed/transport"
)

// timing is how long things may take. Tests are in more of a hurry than people.
type Timing struct {
	transport.Timing
	Greeting     time.Duration // from proof to join
	RetryMin     time.Duration // between attempts to reconnect: grows from this
	RetryMax     time.Duration // to this
	Lead         time.Duration // from the decision to begin until the common start
	LiveInterval time.Duration // between live messages
	Stall        time.Duration // a client that hands over and gets nowhere for so long is dropped
	Goodbye      time.Duration // for the last words
}

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

// defaultGrace is how long a client goes on, and a coordinator waits, for the other side to come back.
const DefaultGrace = 30 * time.Second
