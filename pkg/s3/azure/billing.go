package azure

import (
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Classes of requests in the price list of Azure.
const (
	billedWrite = "write"
	billedList  = "list" // and what creates containers
	billedRead  = "read"
	billedOther = "other"
)

var billing = s3.Billing{Classes: []string{billedWrite, billedList, billedRead, billedOther, s3.Free}, Class: billed}

// Billing is how requests are billed.
func (d *Dialect) Billing() *s3.Billing { return &billing }

// billed is the class of a request. What begins an upload in blocks sends none.
func billed(k op.Kind) string {
	switch k.Base() {
	case op.CreateUpload:
		return ""
	case op.Get, op.GetPart:
		return billedRead
	case op.List, op.CreateBucket:
		return billedList
	case op.Stat, op.HeadBucket, op.GetTags, op.PutTags, op.DeleteTags:
		return billedOther
	case op.Delete, op.DeleteBucket:
		return s3.Free
	}
	return billedWrite
}
