// Package trace holds records of real traffic in the compact form, which a replay reads: operations in order of time, sizes and names of
// objects, and a Summary. A File is such a trace. A Player hands its operations to many threads, a ClientFile to each client its own, and
// Divide cuts it into parts for several machines.
//
// An Event is an operation as a log has it. Package formats makes events of files, and package index makes a File of events.
package trace
