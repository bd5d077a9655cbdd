package azure

import (
	"encoding/xml"
	"net/http"
	"strings"

	"warp/pkg/s3"
)

// judgements of the codes of errors.
var judgements = map[string]s3.Judgement{
	"BlobNotFound":                      s3.NotThere,
	"ResourceNotFound":                  s3.NotThere,
	"ContainerNotFound":                 s3.NoContainer,
	"BlobAlreadyExists":                 s3.Exists,
	"ContainerAlreadyExists":            s3.Exists,
	"ContainerBeingDeleted":             s3.Later | s3.Deleting,
	"AuthorizationPermissionMismatch":   s3.Denied,
	"AuthorizationResourceTypeMismatch": s3.Denied,
	"ServerBusy":                        s3.Later,
	"InternalError":                     s3.Later,
	"OperationTimedOut":                 s3.Later,
	"UnsupportedHeader":                 s3.Unknown,
	"UnsupportedHttpVerb":               s3.Unknown,
	"UnsupportedQueryParameter":         s3.Unknown,
	"UnsupportedXmlNode":                s3.Unknown,
	"FeatureNotYetSupportedForHierarchicalNamespaceAccounts": s3.Unknown,
	"ApiNotImplemented": s3.Unknown,
}

// Error makes the error of a response. The message is cut at the end of its first line: the others differ in each error.
func (d *Dialect) Error(r *http.Response) *s3.Error {
	body := s3.ErrorText(r)
	var said struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
		Detail        string `xml:"AuthenticationErrorDetail"`
	}
	text := strings.TrimPrefix(string(body), "\ufeff")
	understood := xml.Unmarshal([]byte(text), &said) == nil
	code, id := r.Header.Get("X-Ms-Error-Code"), r.Header.Get("X-Ms-Request-Id")
	if code == "" {
		code = said.Code
	}
	message, _, _ := strings.Cut(said.Message, "\n")
	if !understood {
		message = text
	}
	e := s3.StatedError(r, code, message, id)
	e.Detail = s3.OneLine(said.Detail)
	e.Foreign = !understood && code == "" && id == ""
	e.Judgement = s3.Judged | judgements[e.Code]
	switch {
	case e.Code == "" && e.Status == http.StatusNotFound:
		e.Judgement |= s3.NotThere
	case s3.Retryable(e):
		e.Judgement |= s3.Later
	}
	return e
}
