package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"

	"warp/pkg/doctor/finding"
	"warp/pkg/units"
)

// doctorReport is an examination being printed.
type doctorReport struct {
	*printer
	r *finding.Report
}

// Doctor prints what an examination found, for people.
func Doctor(w io.Writer, r *finding.Report, o TextOptions) error {
	p := &doctorReport{newPrinter(o.Color, o.Width), r}
	if r.Embedded {
		p.line(nil, "Store: a server embedded in warp, on this machine; no host was given")
		p.blank()
	}
	p.store()
	for _, h := range r.Hosts {
		p.host(h)
	}
	p.bucket()
	p.checks(p.r.Checks)
	for _, h := range r.Hosts {
		if len(h.Differs) > 0 {
			p.blank()
			p.line(p.warn, "Not as through the first host: "+h.URL)
			p.checks(h.Differs)
		}
	}
	if len(r.Warnings) > 0 {
		p.blank()
	}
	for _, text := range r.Warnings {
		p.line(p.warn, "Warning: "+text)
	}
	p.blank()
	switch {
	case len(r.Problems) > 0:
		p.line(p.bad, "Benchmarks cannot use this store: "+units.Plural(int64(len(r.Problems)), "problem")+".")
	case r.Interrupted:
		p.line(p.warn, "Interrupted before all was checked.")
	default:
		p.line(p.good, "Benchmarks can use this store.")
	}
	_, err := w.Write(p.buf.Bytes())
	return err
}

// store prints what is known of a store of another kind than S3.
func (p *doctorReport) store() {
	for i, f := range p.r.Store {
		if i == 0 {
			p.line(p.head, f.Name+": "+f.Text)
			continue
		}
		p.line(nil, " * "+f.Name+": "+f.Text)
	}
	if len(p.r.Store) > 0 {
		p.blank()
	}
}

func (p *doctorReport) host(h *finding.Host) {
	p.line(p.head, "Host "+h.URL)
	if h.Proxy != "" {
		p.line(nil, " * Proxy: "+h.Proxy+", which hides addresses and TLS")
	}
	var addresses []string
	for _, a := range h.Addresses {
		text := a.IP + " (" + millis(a.Connect) + " to connect)"
		if a.Error != "" {
			text = a.IP + " (" + a.Error + ")"
		}
		addresses = append(addresses, text)
	}
	if len(addresses) > 0 {
		p.list(nil, " * Addresses: ", addresses)
	}
	p.tls(h.TLS)
	if h.Server != "" {
		p.line(nil, " * Server: "+h.Server)
	}
	if h.Clock != nil {
		p.line(nil, " * Clock: "+clockText(h.Clock))
	}
	var trips []string
	for _, t := range h.RoundTrips {
		trips = append(trips, fmt.Sprintf("%s %s (%s to %s)", t.Kind, millis(t.Median), millis(t.Min), millis(t.Max)))
	}
	if len(trips) > 0 {
		p.list(nil, " * Round trips: ", trips)
	}
	if c := h.Connections; c != nil && c.Requests > 0 {
		text := fmt.Sprintf("kept, one for %d requests", c.Requests)
		if c.Made > 1 {
			text = fmt.Sprintf("%d for %d requests, one after the other", c.Made, c.Requests)
		}
		p.line(nil, " * Connections: "+text)
		p.line(nil, " * Delayed acknowledgements: "+cmp.Or(strings.Join(h.DelayedACK, ", "), "no sign"))
	}
	p.blank()
}

func (p *doctorReport) tls(t *finding.TLS) {
	switch {
	case t == nil:
		return
	case t.Error != "":
		p.line(nil, " * TLS: "+t.Error)
		return
	}
	http2 := "HTTP/1.1 only"
	if t.HTTP2 {
		http2 = "HTTP/2 offered"
	}
	p.list(nil, " * TLS: ", []string{t.Version, t.Cipher, t.KeyExchange, millis(t.Handshake) + " for the handshake", http2})
	if c := t.Certificate; c != nil {
		valid := "valid"
		if c.Error != "" {
			valid = "not valid: " + c.Error
		}
		p.list(nil, " * Certificate: ",
			[]string{"for " + strings.Join(c.Names, " "), "until " + c.Expires.Format(time.DateOnly), "by " + c.Issuer, valid})
	}
}

// clockText says how a host's clock differs from this machine's.
func clockText(c *finding.Clock) string {
	offset, way := c.Offset, "ahead of"
	if offset < 0 {
		offset, way = -offset, "behind"
	}
	if offset <= c.Error {
		return "agrees with this machine's to within " + millis(offset+c.Error)
	}
	return fmt.Sprintf("%s %s this machine's (to within %s)", millis(offset), way, millis(c.Error))
}

func (p *doctorReport) bucket() {
	b := p.r.Bucket
	if b.Name == "" {
		return
	}
	title := "Bucket " + b.Name
	if b.Made {
		title += " (made for this check, and removed)"
	}
	p.line(p.head, title)
	region := b.Region
	if b.Said != "" && b.Said != b.Region {
		region += ", but the host says " + b.Said
	}
	if region != "" { // other stores than S3 have none
		p.line(nil, " * Region: "+region)
	}
	if b.Versioning != "" {
		p.line(nil, " * Versioning: "+strings.ToLower(b.Versioning))
	}
	if b.Lock != "" {
		p.line(nil, " * Object lock: "+lockTexts[b.Lock])
	}
	if n := p.r.Leftovers; n > 0 {
		p.line(nil, " * Removed: "+units.Plural(int64(n), "object")+" that a check had left which was killed")
	}
}

var lockTexts = map[string]string{
	finding.LockNone:    "none",
	finding.LockEnabled: "enabled",
	finding.LockDefault: "enabled, with default retention",
}

// checks prints a table of checks, by their groups.
func (p *doctorReport) checks(list []finding.Check) {
	wide, group := 0, ""
	for _, c := range list {
		wide = max(wide, utf8.RuneCountInString(c.Name))
	}
	for _, c := range list {
		if c.Group != group {
			group = c.Group
			p.blank()
			p.line(p.head, group)
		}
		line := fmt.Sprintf("  %-*s  %-9s ", wide, c.Name, c.Result)
		indent := utf8.RuneCountInString(line)
		for i, word := range strings.Fields(units.Line(c.Detail)) {
			if p.width > 0 && i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > p.width {
				p.emit(p.color(c.Result), line)
				line = strings.Repeat(" ", indent)
			}
			line += " " + word
		}
		p.emit(p.color(c.Result), strings.TrimRight(line, " "))
	}
}

func (p *doctorReport) color(r finding.Result) *color.Color {
	switch r {
	case finding.Ignored, finding.Denied:
		return p.warn
	case finding.Failed:
		return p.bad
	}
	return nil
}

// doctorJSON is the object that DoctorJSON writes.
type doctorJSON struct {
	Version     int    `json:"version"`
	WarpVersion string `json:"warp_version"`
	Command     string `json:"command"`
	OK          bool   `json:"ok"`
	*finding.Report
}

// DoctorJSON writes what an examination found as one indented JSON object and a newline.
func DoctorJSON(w io.Writer, r *finding.Report, warpVersion string) error {
	return writeJSON(w, "examination", doctorJSON{1, warpVersion, "doctor", r.OK(), r})
}
