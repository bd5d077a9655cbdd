package preflight

import (
	"net/http"
	"slices"
	"strings"

	"warp/pkg/s3"
)

// subresourceActs are the acts on a subresource of an object, by its name and the method.
var subresourceActs = map[string]map[string]act{
	"tagging": {
		http.MethodGet:    {"read the tags of objects", "s3:GetObjectTagging"},
		http.MethodPut:    {"replace the tags of objects", "s3:PutObjectTagging"},
		http.MethodDelete: {"remove the tags of objects", "s3:DeleteObjectTagging"},
	},
	"attributes": {http.MethodGet: {"read the attributes of objects", "s3:GetObjectAttributes"}},
	"acl":        {http.MethodGet: {"read the access control lists of objects", "s3:GetObjectAcl"}},
	"retention": {
		http.MethodGet: {"read until when objects are locked", "s3:GetObjectRetention"},
		http.MethodPut: {"lock objects for a time", "s3:PutObjectRetention and s3:BypassGovernanceRetention"},
	},
	"legal-hold": {
		http.MethodGet: {"read legal holds on objects", "s3:GetObjectLegalHold"},
		http.MethodPut: {"place legal holds on objects", "s3:PutObjectLegalHold"},
	},
}

var (
	actForm   = act{"upload objects by forms", "s3:PutObject"}
	actFanOut = act{"upload one content as several objects, an extension of MinIO", "s3:PutObject"}
	actParts  = act{"upload objects in parts", "s3:PutObject"}
	actCopy   = act{"copy objects within the bucket", "s3:GetObject and s3:PutObject"}

	// uploadActs are the acts of PUT requests with a header.
	uploadActs = map[string]act{
		"x-amz-write-offset-bytes": {"append to objects in the bucket", "s3:PutObject"},

		"x-amz-meta-snowball-auto-extract": {"upload archives to be extracted, an extension of MinIO", "s3:PutObject"},
	}
)

// signedActs are the acts of requests by signed URLs, by the method.
var signedActs = map[string]act{
	http.MethodGet: {"get objects by signed URLs", "s3:GetObject"},
	http.MethodPut: {"put objects by signed URLs", "s3:PutObject"},
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
	for _, p := range c.Query {
		if a, ok := subresourceActs[p.Name][c.Method]; ok {
			return a, true
		}
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
	case c.Method != http.MethodPut:
		return act{}, false
	}
	for _, h := range c.Headers {
		if a, ok := uploadActs[strings.ToLower(h.Name)]; ok {
			return a, true
		}
	}
	return act{}, false
}

// optional reports whether servers may lack what the act needs.
func (a act) optional() bool {
	for _, acts := range subresourceActs {
		for _, known := range acts {
			if a == known {
				return true
			}
		}
	}
	for _, known := range uploadActs {
		if a == known {
			return true
		}
	}
	return slices.Contains([]act{actEnableVersions, actLock, actCopy, actParts}, a) || a.otherwise()
}

// otherwise reports whether the act has another form of authentication than most requests.
func (a act) otherwise() bool {
	return slices.Contains([]act{actForm, actFanOut, signedActs[http.MethodGet], signedActs[http.MethodPut]}, a)
}
