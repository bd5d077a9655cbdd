// Package search finds the highest load at which a store meets its objectives, and describes how a store behaves under rising
// load. It is pure: it has no clock and no network, and returns the same for the same trials.
//
// # Search
//
// The state of a search is the list of its trials, nothing else. Config.Next returns the trial to perform next, Config.Result what
// the trials so far show. So a search goes on from a recording, and is analyzed from one, by the same two calls.
//
// An operation is bad for an objective if it failed, or ended later after it was due than the objective allows; an operation that
// was due and never sent is bad too. "p99 < 50ms" allows a share of 1% bad operations. The search looks for the load at which
// the share of bad operations of the whole, good and bad minutes together, is what the objective allows:
//
//  1. a closed loop with all connections measures the capacity, and a trial at 2% of it shows whether any load meets the objectives;
//  2. rising loads up to the first that fails enclose the boundary, and three bisections narrow it down;
//  3. further trials at random loads near the estimate refine it. The estimate is where a non-decreasing fit of the share of bad
//     operations (pooled over trials, weighted by operations) crosses what the objective allows. Every trial counts and none decides:
//     a bisection that took one wrong turn never returns;
//  4. the estimate must be held for a minute or two. If it is not, a lower one must be.
//
// A search reports the load that was held, and the doubts about its boundary: the store got slower or faster over the trials, a bad period
// decided, or its own tail nearly breaks the objective at low loads. A trial with the client as the bottleneck says nothing about
// the store: it is invalid.
//
// # Sweep
//
// USL, LinearFit, Capacity and Knee describe points of a sweep: the universal scalability law, latency by size, the number of operations
// that a store performs at a time, and the load beyond which latency rises faster than throughput.
package search
