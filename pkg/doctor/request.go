package doctor

import (
	"slices"

	"warp/pkg/s3"
	"warp/pkg/s3/probe"
	"warp/pkg/units"
)

// content is the content of the object that checks read.
var content = []byte(probe.Text)

// query makes parameters of names and values in turn.
func query(pairs ...string) (list []s3.Param) {
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, s3.Param{Name: p[0], Value: p[1]})
	}
	return list
}

// headers makes headers of names and values in turn.
func headers(pairs ...string) (list []s3.Header) {
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, s3.Header{Name: p[0], Value: p[1]})
	}
	return list
}

// begin is the beginning of a body, for details.
func begin(text []byte) string { return units.Truncate(units.Line(string(text)), 60) }

// request is a request of a check.
type request struct {
	method, key string // without the prefix; empty: about the bucket
	query       []s3.Param
	headers     []s3.Header
	body        []byte
	document    bool // the body is an XML document
	offset      int64
	length      int64 // of a range
	want        []string
	access      s3.Access // to contents, for which options of uploads count
	auth        s3.Auth
	session     s3.Session // nil: that of the host
}

// response is the response to it.
type response struct {
	*s3.Call
	text []byte
}

// maxText is the longest body of a response to a check: the largest object and more.
const maxText = 6 << 20

// objectKey is the key of the object that checks read.
const objectKey = "a"
