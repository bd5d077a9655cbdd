// Package stores has a row for each kind of store that the responder plays, so that tests run over all of them.
package stores

import (
	"warp/internal/responder"
	"warp/internal/responder/azure"
	"warp/internal/responder/gcsjson"
	"warp/internal/responder/gcsxml"
	"warp/pkg/s3"
)

// Kind is a kind of store.
type Kind struct {
	Name    string
	Dialect func() responder.Dialect // a new one; nil: S3
	Config  s3.Config                // how to reach it, but for the host and what a test is about
	Busy    string                   // class of a status 503
}

// Kinds are all kinds of stores.
var Kinds = []Kind{
	{s3.StoreS3, func() responder.Dialect { return nil }, s3.Config{AccessKey: "a", SecretKey: "s"}, "503 SlowDown"},
	{s3.StoreAzure, func() responder.Dialect { return azure.New(azure.Options{}) }, Azure(), "503 ServerBusy"},
	{"gcs by XML", func() responder.Dialect { return gcsxml.New() }, Google(), "503 ServiceUnavailable"},
	{s3.StoreGCS, func() responder.Dialect { return gcsjson.New(gcsjson.Options{}) }, GoogleJSON(), "503 backendError"},
}

// Azure is how the account is reached that the responder plays.
func Azure() s3.Config {
	return s3.Config{Store: s3.StoreAzure, Root: "/" + azure.Account, AccessKey: azure.Account, SecretKey: azure.Key}
}

// Google is how the project is reached that the responder plays, by the XML interface.
func Google() s3.Config {
	return s3.Config{Store: s3.StoreGCS, API: s3.APIXML, AccessKey: gcsxml.Access, SecretKey: gcsxml.Secret}
}

// GoogleJSON is how it is reached by the JSON interface.
func GoogleJSON() s3.Config {
	return s3.Config{Store: s3.StoreGCS, Bearer: true, SessionToken: gcsjson.Token}
}

// Start starts a server of a kind of store, and returns how to reach it. The caller closes it.
func (k *Kind) Start(o responder.Options) (*responder.Server, s3.Config, error) {
	o.Dialect = k.Dialect()
	r, err := responder.New(o)
	if err != nil {
		return nil, s3.Config{}, err
	}
	cfg := k.Config
	cfg.Hosts = []string{r.Host()}
	return r, cfg, nil
}
