// Package sai3 reads files of sai3-bench.
package sai3

import (
	"regexp"
	"strings"

	"warp/internal/option"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "sai3-bench", Aliases: []string{"sai3"}, Title: "sai3-bench", File: "a file of sai3-bench",
	Programs: []string{"sai3-bench"},
	Options:  func() []draft.Option { return options },
	Detect:   func(text string) bool { return isFile(text) || shell.Runs(text, "sai3-bench") },
	Read:     read,
	Command:  readCommand,
}

var (
	top       = regexp.MustCompile(`(?m)^workload[ \t]*:`)
	operation = regexp.MustCompile(`(?m)(^|[-\[{,])[ \t]*["']?op["']?[ \t]*:`)
)

// isFile reports whether a text has a key workload, whose entries have op.
func isFile(text string) bool {
	_, entries, ok := strings.Cut(text, "workload")
	return ok && top.MatchString(text) && operation.MatchString(entries)
}

func read(d *draft.Draft, text string) {
	if !isFile(text) && shell.Runs(text, "sai3-bench") {
		shell.Read(d, text, "sai3-bench", readCommand)
		return
	}
	(&bench{Draft: d}).file(text)
}

// readCommand reads `sai3-bench run --config FILE`.
func readCommand(d *draft.Draft, c *draft.Command) {
	b := &bench{Draft: d}
	config := draft.Word{}
	for i := 0; i < len(c.Args); i++ {
		word := c.Args[i]
		name, value, assigned := strings.Cut(strings.TrimLeft(word.Text, "-"), "=")
		takes, known := commandOptions[name]
		switch {
		case !strings.HasPrefix(word.Text, "-") && word.Text == "run":
			continue
		case !strings.HasPrefix(word.Text, "-"):
			d.Addf(word.At, "sai3-bench %s measures nothing (want run --config FILE)", word.Text)
			return
		case !known:
			d.Addf(word.At, "unknown option --%s", name)
			return
		}
		if takes && !assigned && i+1 < len(c.Args) {
			i++
			value = c.Args[i].Text
		}
		switch name {
		case "config":
			config = draft.Word{Text: value, At: word.At}
		case "dry-run":
			d.Addf(word.At, "--dry-run runs nothing (want warp run --explain)")
		case "prepare-only":
			b.only = true
		case "skip-prepare":
			b.skip = true
		case "no-cleanup":
			b.stay = true
		case "verify", "cleanup-only":
			d.Addf(word.At, "--%s cannot be converted: warp verify and warp clean do that with what a run kept", name)
		}
	}
	switch {
	case len(d.List) > 0:
	case config.Text == "":
		d.Addf(c.At, "sai3-bench run without --config")
	case c.ReadFile == nil:
		d.Addf(config.At, "%s: other files are not read (want the file itself)", config.Text)
	default:
		text, err := c.ReadFile(config.Text)
		if err != nil {
			d.Addf(config.At, "%s: %w", config.Text, err)
			return
		}
		d.Enter(config.Text, text)
		b.file(text)
	}
}

// maxEntries is how many operations, preparations or keys a file may have in one place.
const maxEntries = 300

// file makes the scenario of a file.
func (b *bench) file(text string) {
	b.root = draft.ParseYAML(text, &b.Problems)
	if len(b.List) > 0 {
		return
	}
	for _, list := range [][]draft.Entry{b.root.Values["workload"].List, lookup(b.root, "prepare", "ensure_objects").List} {
		if len(list) > maxEntries {
			b.Addf(list[0].At, "%d entries (want at most %d)", len(list), maxEntries)
			return
		}
	}
	b.unknown("", b.root)
	for _, w := range b.root.Values["workload"].List {
		b.unknown("workload.", w)
	}
	b.target()
	b.prepared()
	if len(b.List) > 0 {
		return
	}
	b.stages()
}

// parts are keys whose keys are options too.
var parts = map[string]bool{"multi_endpoint": true, "io_rate": true, "error_handling": true, "prepare": true, "distributed": true}

// unknown comments on keys that the tool doesn't have, as it ignores them.
func (b *bench) unknown(prefix string, e draft.Entry) {
	if len(e.Keys) > maxEntries {
		b.Addf(e.At, "%d keys (want at most %d)", len(e.Keys), maxEntries)
		return
	}
	for _, key := range e.Keys {
		value := e.Values[key]
		switch {
		case prefix == "" && key == "workload":
		case prefix == "" && parts[key] && value.Values != nil:
			b.unknown(key+".", value)
		case !draft.Known(options, prefix+key):
			hint := ""
			if near := option.Nearest(prefix+key, draft.Names(options)); near != "" {
				hint = " (did you mean " + strings.TrimPrefix(near, prefix) + "?)"
			}
			b.Notef("Not known, and left out: %s%s=%s%s", prefix, key, value.Text, hint)
		}
	}
	for _, o := range e.Values["ensure_objects"].List {
		b.unknown("ensure_objects.", o)
	}
}

// endpoint is a URL of an object or of objects.
type endpoint struct {
	store             string // as --store names it; empty: S3
	host, bucket, key string
}

var hostPort = regexp.MustCompile(`^[^/]*:[0-9]+$`)

// parse splits a URL: s3://BUCKET/KEY, s3://HOST:PORT/BUCKET/KEY, gs://BUCKET/KEY, or az://ACCOUNT/CONTAINER/KEY.
func (b *bench) parse(e draft.Entry, name string) (to endpoint, ok bool) {
	scheme, rest, _ := strings.Cut(e.Text, "://")
	first, key, _ := strings.Cut(rest, "/")
	switch scheme {
	case "s3":
		if hostPort.MatchString(first) {
			to.host = "http://" + first
			first, key, _ = strings.Cut(key, "/")
		}
	case "gs", "gcs":
		to.store, to.host = "gcs", "gs://"+first
	case "az":
		to.store, to.host = "azure", "az://"+first
		first, key, _ = strings.Cut(key, "/")
	default:
		b.Addf(e.At, "%s: %s:// is no store (want s3://BUCKET/, s3://HOST:PORT/BUCKET/, gs://BUCKET/ or az://ACCOUNT/CONTAINER/)", name, scheme)
		return to, false
	}
	if to.bucket, to.key = first, key; first == "" {
		b.Addf(e.At, "%s: %s names no bucket or container", name, e.Text)
	}
	return to, first != ""
}

// target says which store is measured.
func (b *bench) target() {
	var hosts []string
	store := ""
	add := func(e draft.Entry, name string) endpoint {
		to, ok := b.parse(e, name)
		switch {
		case !ok:
			return to
		case b.Target.Bucket.Text == "":
			b.Target.Bucket, b.Target.Pos, store = script.Text(to.bucket).At(e.At), e.At, to.store
		case to.store != store:
			b.Addf(e.At, "%s: %s is in a store of another kind (want one)", name, e.Text)
		case b.Target.Bucket.Text != to.bucket:
			b.Addf(e.At, "%s: bucket %s, but %s before (want one)", name, to.bucket, b.Target.Bucket.Text)
		}
		if to.host != "" {
			hosts = append(hosts, to.host)
		}
		return to
	}
	if t := b.root.Values["target"]; t.Text != "" {
		b.base = add(t, "target").key
	}
	multi := b.root.Values["multi_endpoint"]
	for _, e := range multi.Values["endpoints"].List {
		if e.Values != nil {
			e = e.Values["uri"]
		}
		if to := add(e, "multi_endpoint.endpoints"); b.root.Values["target"].Text == "" {
			b.base = to.key
		}
	}

	for _, e := range b.paths() {
		if strings.Contains(e.Text, "://") {
			add(e, "path")
		}
	}
	b.SetHosts(b.root.Values["target"].At, unique(hosts)...)
	switch {
	case store != "":
		b.Target.Params = append(b.Target.Params, script.NewParam("store", store))
	case len(b.Target.Hosts) > 0:
		b.Target.Params = append(b.Target.Params, script.NewParam("lookup", "path"))
	}
	if len(b.Target.Hosts) > 1 {
		selection := "roundrobin"
		if multi.Values["strategy"].Text == "least_connections" {
			selection = "weighed"
		}
		b.Target.Params = append(b.Target.Params, script.NewParam("host-select", selection))
	}
}

func unique(list []string) (once []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			once = append(once, s)
		}
		seen[s] = true
	}
	return once
}
