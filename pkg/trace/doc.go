// Package trace reads records of real traffic: access logs, audit logs, traces and recordings. Whatever the format, it makes
// one kind of Event of them, describes all of them in a Summary, and writes them in a compact indexed form, which is what a
// replay reads.
//
// Reader reads the files, one parser for each format. Index sorts the events twice, by object and by time, with files in
// the directory for temporary ones, so that memory depends on neither the number of operations nor that of objects. File is the compact form.
package trace
