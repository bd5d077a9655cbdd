// Package ops are the operations of S3: each is a function that describes one request in a Call, sends it through a Session, and checks
// the response. Another operation needs nothing but a function like them.
package ops
