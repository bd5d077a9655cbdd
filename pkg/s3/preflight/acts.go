package preflight

import (
	"net/http"

	"warp/pkg/s3"
)

var (
	actForm   = optional("upload objects by forms", "s3:PutObject").otherwise()
	actFanOut = optional("upload one content as several objects, an extension of MinIO", "s3:PutObject").otherwise()
	actParts  = optional("upload objects in parts", "s3:PutObject")
	actCopy   = optional("copy objects within the bucket", "s3:GetObject and s3:PutObject")
)

// signedActs are the acts of requests by signed URLs, by the method.
var signedActs = map[string]act{
	http.MethodGet: optional("get objects by signed URLs", "s3:GetObject").otherwise(),
	http.MethodPut: optional("put objects by signed URLs", "s3:PutObject").otherwise(),
}

// partsAct returns the act of a request about an upload in parts.
func partsAct(c *s3.Call) (a act, ok bool) {
	for _, p := range c.Query {
		switch {
		case p.Name == "uploadId" && c.Method == http.MethodDelete:
			return actAbort, true
		case p.Name == "uploads" && c.Key != "", p.Name == "uploadId":
			return actParts, true
		}
	}
	return act{}, false
}

// specialAct returns the act of a request that does something else with objects than to put, get, look up or delete them.
func specialAct(c *s3.Call) (a act, ok bool) {
	if c.Act != (s3.Act{}) {
		return optional(c.Act.Words, c.Act.Right), true
	}
	if a, ok := partsAct(c); ok && c.Source == "" {
		return a, true
	}
	switch {
	case c.Source != "":
		return actCopy, true
	case c.Auth == s3.AuthQuery && signedActs[c.Method] != act{}:
		return signedActs[c.Method], true
	case c.Auth == s3.AuthForm && len(c.Form) > 0:
		return actFanOut, true
	case c.Auth == s3.AuthForm:
		return actForm, true
	}
	return act{}, false
}
