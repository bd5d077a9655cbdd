package preflight

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/directory"
)

// Diagnosis is an error that says what is wrong with the way to a store and what to do about it, in one line.
type Diagnosis struct {
	Host      string // URL of the host
	Problem   string
	Response  string // what the host said, in its own words; empty if there was no response
	Hint      string // may be empty
	Left      string // key of an object of the preflight that may stay in the bucket, may be empty
	OtherAuth bool   // the request has another form of authentication than most
	Err       error  // the error of the request, may be nil
}

func (d *Diagnosis) Error() string {
	s := d.Host + ": " + d.Problem
	if d.Response != "" {
		s += " (" + d.Response + ")"
	}
	if d.Hint != "" {
		s += "; " + d.Hint
	}
	if d.Left != "" {
		s += fmt.Sprintf("; the object %q may stay in the bucket", d.Left)
	}
	return s
}

func (d *Diagnosis) Unwrap() error { return d.Err }

// act is something that a run does to a store.
type act struct {
	words     string // of its user
	right     string // as S3 calls it
	optional  bool   // servers may lack what it needs
	otherAuth bool   // it has another form of authentication than most requests
}

// needed returns an act that every server can do.
func needed(words, right string) act { return act{words: words, right: right} }

// optional returns an act that servers may lack.
func optional(words, right string) act { return act{words: words, right: right, optional: true} }

// otherwise returns the act with another form of authentication.
func (a act) otherwise() act {
	a.otherAuth = true
	return a
}

var (
	actLook     = needed("look at the bucket", "s3:ListBucket")
	actDescribe = needed("ask what kind of account it is", "none")
	actCreate   = needed("create the bucket", "s3:CreateBucket")
	actRemove   = needed("remove the bucket", "s3:DeleteBucket")
	actVersions = needed("ask whether the bucket keeps versions", "s3:GetBucketVersioning")
	actLock     = optional("ask whether the bucket can lock objects", "s3:GetBucketObjectLockConfiguration")
	actUploads  = needed("list unfinished uploads in the bucket", "s3:ListBucketMultipartUploads")
	actAbort    = needed("abort unfinished uploads in the bucket", "s3:AbortMultipartUpload")
	actPut      = needed("put objects into the bucket", "s3:PutObject")
	actGet      = needed("get objects from the bucket", "s3:GetObject")
	actStat     = needed("look up objects in the bucket", "s3:GetObject")
	actList     = needed("list objects in the bucket", "s3:ListBucket")
	actDelete   = needed("delete objects in the bucket", "s3:DeleteObject")

	actSession = needed("create a session with the bucket", "s3express:CreateSession")

	actEnableVersions = optional("have the bucket keep versions", "s3:PutBucketVersioning")
)

// actOf is what a request on objects does.
func actOf(c *s3.Call) act {
	if a, ok := specialAct(c); ok {
		return a
	}
	switch {
	case c.Method == http.MethodPut:
		return actPut
	case c.Method == http.MethodHead:
		return actStat
	case c.Method != http.MethodGet:
		return actDelete
	case c.Key == "":
		return actList
	}
	return actGet
}

// diagnose explains why an act failed. It is nil if err is nil.
func diagnose(cfg *s3.Config, host string, a act, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, directory.ErrSession) {
		a = actSession
	}
	d := &Diagnosis{Host: host, Problem: "cannot " + a.words, OtherAuth: a.otherAuth, Err: err}
	if cfg.Anonymous() {
		d.Problem += " anonymously"
	}
	e := s3.AsError(err)
	if e.Class == "" {
		d.Problem += ": " + err.Error()
		return d
	}
	if e.Class == s3.ClassCanceled {
		return err
	}
	if errors.Is(err, directory.ErrUnsupported) {
		d.Problem += ": " + e.Message
		return d
	}
	if e.Status == 0 && e.Code == "" && e.Class != s3.ClassBadResponse {
		d.Problem += ": " + e.Error()
	} else {
		d.Response = response(e)
	}
	_ = d.explainNetwork(cfg, e) || d.explainOtherStore(cfg, e) || d.explainClock(cfg, e) || d.explainRegion(cfg, e) ||
		d.explainRefusal(cfg, a, e) || d.explainOptional(a, e) || d.explainEncryption(cfg, a, e) || d.explainHost(cfg, e) ||
		d.explainOptions(cfg, a, e)
	return d
}

func (d *Diagnosis) say(problem, hint string) bool {
	d.Problem, d.Hint = problem, hint
	return true
}

// setHint keeps the problem as it is, and gives a hint.
func (d *Diagnosis) setHint(hint string) bool {
	d.Hint = hint
	return true
}

// response is what the host said, in its own words: status and code, message, id of the request. Where no S3 server
// speaks, it says who does, and leaves out the tags of a web page.
func response(e *s3.Error) string {
	text, words := e.Class, e.Message
	if e.Foreign || e.Status/100 == 5 && e.Code == "" {
		if e.Server != "" {
			text += " from " + e.Server
		}
		words = strings.Join(strings.Fields(tags.ReplaceAllString(words, " ")), " ")
	}
	if words != "" {
		text += ": " + words
	}
	if e.RequestID != "" {
		text = strings.TrimSuffix(text, ".") + ", request " + e.RequestID
	}
	return text
}

// explainHost knows hosts that are out of order, and those that do not speak as the store should.
func (d *Diagnosis) explainHost(cfg *s3.Config, e *s3.Error) bool {
	server := idiomOf(cfg.Store).server
	switch {
	case e.Status == http.StatusTooManyRequests:
		return d.setHint("the host limits the rate of requests: try again later")
	case e.Status == http.StatusBadGateway || e.Status == http.StatusGatewayTimeout,
		e.Status == http.StatusServiceUnavailable && e.Foreign:
		return d.setHint("a proxy or load balancer there gets no response from the server behind it: check that server")
	case e.Status/100 == 5 && e.Status != http.StatusNotImplemented:
		return d.setHint("the host is overloaded or out of order: see its log, or try again later")
	case e.Foreign:
		return d.say("the host is not "+server+", or a proxy refuses the request", "check --host and its port")
	case e.Class == s3.ClassBadResponse:
		return d.say("the host is not "+server+", or a broken one", "check --host and its port")
	}
	return false
}

// explainEncryption names the encryption that a host may lack which fails.
func (d *Diagnosis) explainEncryption(cfg *s3.Config, a act, e *s3.Error) bool {
	if a != actPut || e.Status != http.StatusInternalServerError || cfg.Uploads.Encryption == "" {
		return false
	}
	flags := map[string]string{s3.SSES3: "--sse-s3", s3.SSEKMS: "--sse-kms"}
	return d.setHint("the host cannot do what " + flags[cfg.Uploads.Encryption] + " asks for, or is out of order: " +
		"try without, and see its log")
}

// explainOptions names options that a host which refuses an upload may not know.
func (d *Diagnosis) explainOptions(cfg *s3.Config, a act, e *s3.Error) bool {
	if a != actPut || e.Status/100 != 4 && e.Status != http.StatusNotImplemented {
		return false
	}
	var used, named []string
	for _, o := range uploadOptions {
		if !o.used(cfg) {
			continue
		}
		if o.flag != checksumFlag || !cfg.Uploads.Trailer { // a trailer is likelier to be refused than its algorithm
			used = append(used, o.flag)
		}
		if o.words.MatchString(e.Code + " " + e.Message) {
			named = append(named, o.flag)
		}
	}
	if len(named) > 0 {
		used = named
	}
	return len(used) > 0 && d.setHint("the likely cause is "+strings.Join(used, " or ")+": try without")
}
