// Package distributed makes many machines measure as one. Its parts are
//
//   - transport: a message stream between two processes that share a token; it outlives its connections
//   - protocol: the messages, and clocks
//   - agent: a client, which performs runs for coordinators
//   - coordinator: a run by many clients, with one result
//
// An agent performs the same bench.Run as a local benchmark, with its own share of keys and schedule; parameters of the plan
// apply to each client.
package distributed
