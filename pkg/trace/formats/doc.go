// Package formats reads records of real traffic: access logs, audit logs, traces and recordings. A Reader makes events of files, whatever
// their format. Each format is a file with its parser, and a row of the table in format.go.
package formats
