// Package trace holds records of real traffic in the compact form, which a replay reads: operations in the order of their times, sizes and
// names of objects, and a Summary. A File is one; a Player gives its operations to many threads, a ClientFile to each client its own; Divide
// cuts it into parts for several machines.
//
// An Event is an operation as a log has it. Package formats makes events of files, and package index makes a File of events.
package trace
