// Package conformance holds both engines against one table of what servers answer, and of when they close connections. It has tests only.
package conformance
