package s3_test

import (
	"cmp"
	"slices"

	"warp/internal/responder/stores"
	"warp/pkg/s3"
)

// byXML is the spelling of Google's XML interface.
const byXML = "gcs by XML"

// spelling names how requests to a store and its responses are spelled.
func spelling(cfg *s3.Config) string {
	if cfg.API == s3.APIXML {
		return byXML
	}
	return cmp.Or(cfg.Store, s3.StoreS3)
}

// everyProof returns all kinds of stores, first with keys, then with each other way to prove who asks.
func everyProof() []stores.Kind {
	const token, sas = "ya29.a0AfH6SMBexample", "sv=2023-11-03&sr=c&sp=rwdl&se=2030-01-01T00%3A00%3A00Z&sig=c2lnbmF0dXJl"
	all := slices.Clone(stores.Kinds)
	for _, other := range []stores.Kind{
		{Name: "azure, SAS", Config: s3.Config{Store: s3.StoreAzure, SessionToken: sas}},
		{Name: "azure, token", Config: s3.Config{Store: s3.StoreAzure, SessionToken: token, Bearer: true}},
		{Name: "gcs by XML, token", Config: s3.Config{Store: s3.StoreGCS, API: s3.APIXML, SessionToken: token, Bearer: true}},
	} {
		if other.Config.Store == s3.StoreAzure {
			other.Config.Root = stores.Azure().Root
		}
		all = append(all, other)
	}
	return all
}
