package fio

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// scenario is jobs as phases.
type scenario struct {
	*draft.Draft
	works  []*work
	named  string            // the bucket, if it was asked for
	byKey  map[string]string // data sets
	owners map[string][]*work
	filled map[string]bool // data sets that jobs have written so far
	labels map[string]int
}

// bucketVariable is the variable that says what the bucket is, where neither host nor filename do.
const bucketVariable = "BUCKET"

// target says which store is measured. All jobs must agree.
func (s *scenario) target() {
	first := s.works[0]
	for _, w := range s.works[1:] {
		for _, name := range []string{"http_host", "https", "http_s3_region", "http_s3_storage_class"} {
			if w.text(name) != first.text(name) {
				s.Addf(w.at(name), "%s=%s, but %s of an earlier job (want one store)", name, w.text(name), first.text(name))
			}
		}
	}
	scheme := "http"
	if first.on("https") {
		scheme = "https"
	}
	host, lookup := s.bucket(first)
	if _, stated := first.values.values["http_host"]; stated {
		s.SetHosts(first.at("http_host"), scheme+"://"+host)
	}
	s.Target.Pos = first.at("http_host")
	s.Target.Region = script.Text(first.text("http_s3_region")).At(first.at("http_s3_region"))
	class := script.NewParam("storage-class", first.text("http_s3_storage_class"))
	class.Values[0].Pos = first.at("http_s3_storage_class")
	s.Target.Params = append(s.Target.Params, script.NewParam("lookup", lookup), script.NewParam("payload", "signed"), class)
	if first.text("https") == "insecure" {
		s.Target.Params = append(s.Target.Params, script.NewParam("insecure", "true"))
	}
	if first.text("http_s3_sse_customer_key") != "" {
		s.Target.Params = append(s.Target.Params, script.NewParam("encrypt", "true"))
		draft.AddNote(&s.Target.Head, "Approximated: http_s3_sse_customer_key: keys are random, and are in no file.")
	}
	s.credentials(first)
}

// credentials takes the credentials of the first job.
func (s *scenario) credentials(w *work) {
	for _, c := range [][2]string{
		{"http_s3_keyid", "access-key"}, {"http_s3_key", "secret-key"}, {"http_s3_security_token", "session-token"},
	} {
		if value, ok := w.values.values[c[0]]; ok {
			s.Secret(value.At, c[1], value.Text)
			if m := variable.FindStringSubmatch(value.Text); m != nil {
				s.Notef("%s is in a variable: give --set %s=VALUE, --%s, or the variables of warp.", c[0], m[1], c[1])
			}
		}
	}
}

// bucket finds the bucket in host or filename, and cuts it off. fio has no option for it.
func (s *scenario) bucket(w *work) (host, lookup string) {
	host = w.text("http_host")
	label, domain, _ := strings.Cut(host, ".")
	dir, _, deep := strings.Cut(strings.TrimPrefix(w.files[0], "/"), "/")
	bucket, inHost := dir, false
	if !pathStyle(host) {
		switch {
		case !deep || s.named == label:
			bucket, inHost = label, true
		case s.named != dir && !strings.HasPrefix(host, "s3.") && !strings.HasPrefix(host, "s3-"):
			s.Addf(w.at("http_host"), "http_host=%s: the bucket may be %s, or %s of filename (want --var %s=NAME)", host, label, dir, bucketVariable)
		}
	}
	s.Target.Bucket = script.Text(bucket).At(w.at("filename"))
	for _, w := range s.works {
		for i, file := range w.files {
			file = strings.TrimPrefix(file, "/")
			if !inHost {
				name, key, ok := strings.Cut(file, "/")
				if !ok || name != bucket {
					s.Addf(w.at("filename"), "filename: invalid value %q (want /%s/KEY: one bucket, and the name of an object)", w.files[i], bucket)
				}
				file = key
			}
			w.files[i] = file
		}
	}
	if inHost {
		return domain, "host"
	}
	return host, "path"
}

// pathStyle reports whether a host is no domain with buckets: an address, this machine, one with a port, or a variable.
func pathStyle(host string) bool {
	u, err := url.Parse("//" + host)
	return err != nil || u.Port() != "" || net.ParseIP(strings.Trim(host, "[]")) != nil || !strings.Contains(host, ".")
}

// sets adds the data sets of all jobs: one for a file and a block size.
func (s *scenario) sets() {
	s.byKey, s.owners, s.filled, s.labels = map[string]string{}, map[string][]*work{}, map[string]bool{}, map[string]int{}
	for _, w := range s.works {
		if w.formatted() {
			w.sets = []string{s.set(w, w.template(), w.objects())}
			continue
		}
		for _, file := range w.files {
			w.sets = append(w.sets, s.set(w, w.keys(draft.KeyText(file), "i"), w.objects()/int64(len(w.files))))
		}
	}
	for _, set := range s.Data {
		written, ranges, sizes := false, false, false
		for _, w := range s.owners[set.Name] {
			written, ranges, sizes = written || w.writes, ranges || w.ranges, sizes || w.sizes != ""
		}
		at := s.Set(set.Name)
		switch {
		case written:
			at.Keep = draft.Yes()
			draft.AddNote(&at.Head, "As in the original, objects stay in the bucket unless a job trims them.")
		case !ranges && !sizes:
			at.Existing, at.Assume = draft.Yes(), script.Text("sizes")
		}
		if ranges {
			draft.AddNote(&at.Head, "Approximated: names have a number here; an object that no job writes is uploaded before.")
		}
	}
}

// set returns the data set of a template of keys.
func (s *scenario) set(w *work, keys string, objects int64) string {
	name, ok := s.byKey[keys]
	if !ok {
		name = "o"
		if n := len(s.byKey); n > 0 {
			name += strconv.Itoa(n + 1)
		}
		s.byKey[keys] = name
	}
	set := s.Set(name)
	set.Keys, set.Pos = script.Text(keys).At(w.at("filename")), w.section.at
	if w.ranges {
		objects = 1
	}
	if n, _ := strconv.ParseInt(set.Objects.Text, 10, 64); objects > n {
		set.Objects = draft.Number(objects)
	}
	if set.Size.IsZero() || w.writes {
		set.Size = script.Text(w.size()).At(w.at("bs"))
	}
	if w.sizes != "" {
		draft.AddNote(&set.Head, "Approximated: blocks of several sizes; "+
			"names have the number of the object, not its offset and length, so that a run makes its own.")
	}
	if w.writes {
		w.contents(set)
	}
	s.owners[name] = append(s.owners[name], w)
	return name
}

// size returns the size of the objects of a job.
func (w *work) size() string {
	switch {
	case w.sizes != "":
		return w.sizes
	case w.ranges && !w.writes:
		return units.ExactSize(w.blocks * w.block)
	}
	return units.ExactSize(w.block)
}

// contents says what a job writes.
func (w *work) contents(set *script.DataSet) {
	switch {
	case w.on("zero_buffers"):
		set.Content.Kind = script.Text("zero")
	case w.text("buffer_pattern") != "":
		set.Content.Kind = script.Text("zero")
		draft.AddNote(&set.Head, "Approximated: buffer_pattern is zeros here.")
	}
	if p := w.percent("buffer_compress_percentage"); p > 0 {
		set.Content.Compressible = script.Text(draft.Decimal(p) + "%")
	}
	if p := w.percent("dedupe_percentage"); p > 0 {
		set.Content.Duplicate = script.Text(draft.Decimal(min(p, 99)) + "%")
	}
}

// keys returns the template of keys of a file: its name, the offset of a block and its length. i is the number of the block.
func (w *work) keys(file, i string) string {
	switch {
	case w.ranges:
		return file + "_{i}"
	case w.sizes != "":
		return fmt.Sprintf("%s_{%s}", file, i)
	}
	if w.block > 1 {
		i += fmt.Sprintf("*%d", w.block)
	}
	if w.offset > 0 {
		i += fmt.Sprintf("+%d", w.offset)
	}
	return fmt.Sprintf("%s_{%s}_%d", file, i, w.block)
}

// template returns the template of keys of files with names of their own for each clone.
func (w *work) template() string {
	clone, number := "0", "0"
	if n := w.blocks * w.perClone(); w.clones > 1 {
		clone = fmt.Sprintf("{i/%d}", n)
	}
	if w.perClone() > 1 {
		number = fmt.Sprintf("{i/%d%%%d}", w.blocks, w.perClone())
	}
	file := strings.NewReplacer("$jobname", draft.KeyText(w.name), "$jobnum", clone, "$filenum", number).Replace(draft.KeyText(w.files[0]))
	return w.keys(file, fmt.Sprintf("i%%%d", w.blocks))
}
