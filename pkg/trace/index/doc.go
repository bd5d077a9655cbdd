// Package index makes the compact form of a trace: Build sorts events twice, by object and by time, numbers objects, and describes the whole
// in a summary. It sorts in temporary files, so that its memory depends on neither the number of operations nor that of objects.
package index
