package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// Classify makes an *Error of any error that kept a request from getting a whole response.
func Classify(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // its text would repeat method and URL
	}
	return &Error{Class: classOf(err), Message: OneLine(err.Error()), Err: err}
}

// ClassifyEarly is Classify for an error before the body of the response: nothing can be too short yet.
func ClassifyEarly(err error) *Error {
	e := Classify(err)
	if e.Class == ClassShortBody {
		e.Class = ClassClosed
	}
	return e
}

// numbered classes by the number of the system's error. Windows has numbers of its own, which mean nothing elsewhere.
var numbered = map[syscall.Errno]string{
	syscall.ECONNREFUSED: ClassRefused, 10061: ClassRefused,
	syscall.ECONNRESET: ClassReset, 10054: ClassReset,
	syscall.ECONNABORTED: ClassReset, 10053: ClassReset,
	syscall.EPIPE:        ClassReset,
	syscall.EHOSTUNREACH: ClassUnreachable, 10065: ClassUnreachable,
	syscall.ENETUNREACH: ClassUnreachable, 10051: ClassUnreachable,
	syscall.EADDRNOTAVAIL: ClassNoPorts, 10049: ClassNoPorts,
	syscall.EMFILE: ClassTooManyFiles, syscall.ENFILE: ClassTooManyFiles, 10024: ClassTooManyFiles,
	syscall.ETIMEDOUT: ClassTimeout, 10060: ClassTimeout,
}

// phrased finds classes that Go's libraries give no type of their own.
var phrased = []struct{ phrase, class string }{
	{"server gave HTTP response to HTTPS client", ClassTLSToPlain},
	{"malformed HTTP response \"\\x15", ClassPlainToTLS},
	{"malformed", ClassBadResponse},
	{"Content-Length", ClassBadResponse},
	{"unsupported transfer encoding", ClassBadResponse},
	{"chunk", ClassBadResponse},
	{"header line too long", ClassBadResponse}, // of a chunk
	{"response headers exceeded", ClassBadResponse},
	{"server closed idle connection", ClassClosed},
	{"GOAWAY", ClassClosed}, // of HTTP/2
	{"tls: ", ClassTLS},
}

// streamError is a stream of HTTP/2 that the server reset. net/http fills in a type with these fields, since its own has no name.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string {
	return fmt.Sprintf("stream %d of HTTP/2 was reset with code %d", e.StreamID, e.Code)
}

// ErrNoHTTP2 is the error of a connection that must speak HTTP/2.
var ErrNoHTTP2 = errors.New("the server does not offer HTTP/2")

func classOf(err error) string {
	var (
		stream streamError
		errno  syscall.Errno
		dns    *net.DNSError
		netErr net.Error
		syntax *xml.SyntaxError
	)
	if class := tlsClass(err); class != "" {
		return class
	}
	switch {
	case errors.Is(err, ErrNoHTTP2):
		return ClassNoHTTP2
	case errors.Is(err, context.Canceled):
		return ClassCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return ClassTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ClassShortBody
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return ClassNoHost
		}
		return ClassDNS
	case errors.As(err, &errno) && numbered[errno] != "":
		return numbered[errno]
	case errors.As(err, &netErr) && netErr.Timeout():
		return ClassTimeout
	case errors.As(err, &stream):
		return ClassReset
	case errors.As(err, &syntax):
		return ClassBadResponse
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return ClassClosed
	}
	text := err.Error()
	for _, p := range phrased {
		if strings.Contains(text, p.phrase) {
			return p.class
		}
	}
	return ClassNetwork
}

// tlsClass is the class of an error of TLS, empty if it is of another kind.
func tlsClass(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return ClassUnknownCA
	case errors.As(err, &name):
		return ClassWrongName
	case errors.As(err, &invalid):
		return ClassBadCert
	case errors.As(err, &record):
		return ClassTLSToPlain
	case errors.As(err, &alert):
		return ClassTLS
	}
	return ""
}
