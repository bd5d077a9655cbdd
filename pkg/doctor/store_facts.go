package doctor

import (
	"context"
	"time"

	"warp/internal/clock"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/units"
)

// describe says which kind of store it is, and what requests prove themselves with. Of S3 there is nothing to say.
func (x *examination) describe(cfg *s3.Config, why string) {
	d := connect.Dialect(cfg).Describe()
	if d.Dialect == "" {
		return
	}
	x.fact("Store", d.String()+", "+why)
	source := cfg.KeySource
	if cfg.Anonymous() {
		source = "none"
	}
	switch end := cfg.KeysEnd; {
	case end.IsZero():
	case cfg.Provider != nil:
		source += ", until " + end.UTC().Format(time.RFC3339) + ", then renewed"
	default:
		source += ", until " + end.UTC().Format(time.RFC3339)
		if left := end.Sub(clock.Wall()); left < 24*time.Hour {
			x.warn("the credentials end in %s, and with them a run", units.Duration(max(0, left).Round(time.Minute)))
		}
	}
	if source != "" {
		x.fact("Credentials", source)
	}
}

// describeAccount says what the store says of itself.
func (x *examination) describeAccount(ctx context.Context, h *host) {
	facts, err := h.bucket.AskAccount(ctx)
	for _, f := range facts {
		x.fact(f.Name, f.Text)
		if f.Warning != "" {
			x.warn("%s", f.Warning)
		}
	}
	if err != nil {
		x.fact("Account", "not known: "+err.Error())
	}
}

// describeVersions says whether the store of another kind keeps versions, which its responses have shown.
func (x *examination) describeVersions() {
	if x.first == nil || len(x.report.Store) == 0 {
		return
	}
	text, kept := "no", x.first.version != ""
	if x.first.host.session.Dialect().Names().Generations { // which any object has
		kept = x.first.bucket.Versioning == ops.VersioningEnabled
	}
	if kept {
		text = "yes"
	}
	x.fact("Versions", text)
}

func (x *examination) fact(name, text string) {
	x.report.Store = append(x.report.Store, finding.Fact{Name: name, Text: units.Line(text)})
}
