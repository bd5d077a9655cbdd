// Package index makes the compact form of a trace. Build sorts events twice, by object and by time, numbers the objects, and summarizes the
// trace. It sorts in temporary files, so that its memory does not depend on the number of operations or objects.
package index
