package gcs

import (
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Classes of requests in the price list.
const (
	billedA = "class-a"
	billedB = "class-b"
)

// billing is how requests are billed.
var billing = s3.Billing{Classes: []string{billedA, billedB, s3.Free}, Class: billed}

// billed is the class of a request.
func billed(k op.Kind) string {
	switch k.Base() {
	case op.Get, op.GetPart, op.Stat, op.GetTags, op.HeadBucket:
		return billedB
	case op.Delete, op.DeleteBucket:
		return s3.Free
	}
	return billedA
}

// describe returns the store, its interface, and what proves who asks.
func describe(cfg *s3.Config, api string) s3.Description {
	auth := "HMAC"
	switch {
	case cfg.Anonymous():
		auth = "anonymous"
	case cfg.Bearer:
		auth = "bearer token"
	}
	return s3.Description{Dialect: s3.StoreGCS, Name: s3.TitleGCS, API: api, Auth: auth}
}
