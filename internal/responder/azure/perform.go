package azure

import (
	"encoding/xml"
	"net/http"
)

// permitted returns the code of the refusal of a request by its token.
func (q *request) permitted() (code string) {
	component := q.query.Get("comp")
	switch {
	case component == "batch":
		return "" // each of its requests has a proof of its own
	case q.query.Get("restype") == "account":
		return "" // any proof will do
	case q.container == "":
		return q.proof.permits("r", "s")
	case q.key == "" && component == "list":
		return q.proof.permits("l", "c")
	case q.key == "":
		if q.proof.sas != nil && q.proof.sas.Get("sr") != "" {
			return notPermitted // tokens of a container are good for what is in it
		}
		return q.proof.permits(map[string]string{http.MethodPut: "cw", http.MethodDelete: "d"}[q.method]+"r", "c")
	}
	needs := map[string]string{http.MethodGet: "r", http.MethodHead: "r", http.MethodPut: "cw", http.MethodDelete: "d"}[q.method]
	switch {
	case component == "tags":
		needs = "t"
	case component == "appendblock":
		needs = "aw"
	case component == "tier", component == "metadata", component == "lease":
		needs = "w"
	case q.method == http.MethodDelete && q.query.Has("versionid"):
		needs = "x"
	}
	return q.proof.permits(needs, "o")
}

// perform does what a request asks for.
func (s *Store) perform(q *request) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	component := q.query.Get("comp")
	switch {
	case q.container == "" && component == "batch":
		return s.batch(q)
	case q.container == "", q.query.Get("restype") == "account": // that may be asked anywhere
		return s.account(q)
	case q.key == "" && component == "" && q.method == http.MethodPut:
		return s.createContainer(q)
	}
	c := s.containers[q.container]
	switch {
	case c == nil && s.deleting[q.container] > 0:
		return fails(http.StatusConflict, "ContainerBeingDeleted")
	case c == nil:
		return fails(http.StatusNotFound, "ContainerNotFound")
	case q.key == "":
		return s.onContainer(q, c)
	}
	n := c.of(q.key)
	defer c.tidy(q.key)
	if refusal, refused := n.leased(q); refused {
		return refusal
	}
	if component != "" && q.method == http.MethodPut || component == "blocklist" || component == "tags" {
		return s.onComponent(q, c, n)
	}
	return s.onBlob(q, c, n)
}

type serviceProperties struct {
	XMLName xml.Name `xml:"StorageServiceProperties"`
	Enabled bool     `xml:"DeleteRetentionPolicy>Enabled"`
	Days    int      `xml:"DeleteRetentionPolicy>Days,omitempty"`
}

// account answers questions about the account.
func (s *Store) account(q *request) response {
	switch {
	case q.query.Get("restype") == "account":
		hns := "false"
		if s.Directories {
			hns = "true"
		}
		return response{status: http.StatusOK, header: http.Header{
			"X-Ms-Sku-Name": {"Standard_LRS"}, "X-Ms-Account-Kind": {"StorageV2"}, "X-Ms-Is-Hns-Enabled": {hns},
		}}
	case q.query.Get("restype") == "service":
		var a serviceProperties
		if a.Enabled = s.SoftDelete; a.Enabled {
			a.Days = 7
		}
		return response{status: http.StatusOK, document: document(a)}
	}
	return fails(http.StatusBadRequest, "InvalidQueryParameterValue")
}

func (s *Store) createContainer(q *request) response {
	switch {
	case q.query.Get("restype") != "container":
		return fails(http.StatusBadRequest, "InvalidUri") // a blob without a name
	case s.containers[q.container] != nil:
		return fails(http.StatusConflict, "ContainerAlreadyExists")
	case s.deleting[q.container] > 0:
		s.deleting[q.container]--
		return fails(http.StatusConflict, "ContainerBeingDeleted")
	}
	s.containers[q.container] = &container{names: map[string]*name{}}
	return response{status: http.StatusCreated}
}

// onContainer performs requests about a container. One that is deleted goes with all that is in it.
func (s *Store) onContainer(q *request, c *container) response {
	component := q.query.Get("comp")
	switch {
	case q.query.Get("restype") != "container":
		return fails(http.StatusBadRequest, "InvalidUri")
	case component == "batch" && q.method == http.MethodPost:
		return s.batch(q)
	case component == "list" && q.method == http.MethodGet:
		return s.list(q, c)
	case component != "":
		return fails(http.StatusBadRequest, "InvalidQueryParameterValue")
	case q.method == http.MethodDelete:
		delete(s.containers, q.container)
		s.deleting[q.container] = s.BeingDeleted
		return response{status: http.StatusAccepted}
	case q.method == http.MethodGet || q.method == http.MethodHead:
		return response{status: http.StatusOK}
	}
	return fails(http.StatusMethodNotAllowed, "UnsupportedHttpVerb")
}

// leased returns the refusal of a change to a name that somebody has leased.
func (n *name) leased(q *request) (refusal response, refused bool) {
	reads := q.method == http.MethodGet || q.method == http.MethodHead || q.query.Get("comp") == "lease" || q.query.Get("comp") == "snapshot"
	if n.lease == "" || reads || q.header.Get("X-Ms-Lease-Id") == n.lease {
		return response{}, false
	}
	return fails(http.StatusPreconditionFailed, "LeaseIdMissing"), true
}

// unmet returns the refusal of a request whose conditions a blob does not meet; nil stands for none.
func (q *request) unmet(b *blob) (refusal response, refused bool) {
	match, none := q.header.Get("If-Match"), q.header.Get("If-None-Match")
	writes := q.method == http.MethodPut
	switch {
	case match != "" && (b == nil || match != "*" && match != b.etag):
		return fails(http.StatusPreconditionFailed, "ConditionNotMet"), true
	case none == "*" && !writes:
		return fails(http.StatusBadRequest, "UnsupportedHeader"), true
	case none == "*" && b != nil:
		return fails(http.StatusConflict, "BlobAlreadyExists"), true
	case none != "" && b != nil && none == b.etag && writes:
		return fails(http.StatusPreconditionFailed, "ConditionNotMet"), true
	case none != "" && b != nil && none == b.etag:
		return response{status: http.StatusNotModified}, true
	}
	return response{}, false
}
