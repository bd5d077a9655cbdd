// Package transport carries messages between two processes that share a token, over connections that may break.
//
// A connection is a websocket over TLS 1.3, path /warp. A text frame is one JSON control message
//
//	{"type":"meet","seq":7,"ack":12,"body":{...}}
//
// and a binary frame is a chunk: seq and ack as big-endian 64-bit numbers, then at most 64 KiB. Each type of message has a
// maximum length; a Protocol lists them.
//
//	state        dialling side   listening side     next
//	connected                    challenge          challenged
//	challenged   proof                              proved
//	proved                       accept | refuse    authenticated | closed
//
// A proof is an HMAC over the keying material exported from this very TLS session (RFC 8446, 7.5) and a nonce of each side,
// with a key derived from the token; see keys.proof. The dialling side proves first, so that an open port reveals to
// strangers only the version of the protocol and whether a token is needed.
//
// A Session outlives its connections. Messages with a seq are delivered once and in order: they are kept until the other
// side acknowledges that it has consumed them, and sent again over the next connection, for which both sides exchange how
// far they have come. At most window messages may be unacknowledged, which is the flow control. Messages without a seq may
// be lost. Long messages travel as chunks, followed by a message that states their length.
//
// Before the proof a peer can do little: such connections are few, short and small, and after failures their source is
// refused for a while; see guard. A flood of the port can keep the dialling side out for as long as it lasts; it learns and
// changes nothing, and established sessions are not affected. An attacker on the path can delay and cut; reading or changing
// anything takes a TLS session of its own, where the proof fails. An impostor at the listening side gets one HMAC for
// guessing the token offline: a token must be random.
package transport

import "time"

// DefaultPort is the port of the listening side.
const DefaultPort = "7761"

// Protocol describes the messages of a stream.
type Protocol struct {
	Version   int            // both sides must have the same
	Messages  map[string]int // maximum length of each type of message in bytes; other types are refused
	Documents map[string]int // maximum length of the messages that travel in chunks
}

// Timing bounds how long things take.
type Timing struct {
	Handshake time.Duration // from accepting a connection to the proof
	Ping      time.Duration // between pings
	Silence   time.Duration // without any sign of life, after which a connection is lost
	Write     time.Duration // of one frame
}

// Options configure a Dialer or a Server.
type Options struct {
	Protocol *Protocol
	Timing   Timing
	Token    string                           // shared by both sides; empty: they must be on one machine
	TLS      TLSFiles                         // certificates in addition to the token; usually none
	Logf     func(format string, args ...any) // logs refused connections of a Server
}
