package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
)

// influx takes apart an address in the form of MinIO warp.
func (r *Receiver) influx(u *url.URL) error {
	bucket, org, ok := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !ok || bucket == "" || org == "" || strings.Contains(org, "/") {
		return fmt.Errorf("want bucket and organization, as in %s", examples[InfluxDB])
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains([]string{"op", "endpoint", "stage", "warp_id"}, name) {
			return fmt.Errorf("the tag %s is one of warp's own; choose another name", name)
		}
		if name == "" {
			return fmt.Errorf("a tag has no name (want TAG=VALUE, as in %s)", examples[InfluxDB])
		}
		r.tags[name] = query[name][0]
	}
	u.Path, u.RawQuery = "/api/v2/write", url.Values{"bucket": {bucket}, "org": {org}, "precision": {"ns"}}.Encode()
	return nil
}

// lineProtocol returns totals with the names of MinIO warp: the measurement "warp", for each kind of operation and host and for all
// hosts, and in the end "warp_run_summary". Percentiles are added to both.
func lineProtocol(f Figures, about About, tags map[string]string, now time.Time, last bool) []byte {
	l := lines{tags: maps.Clone(tags), at: now.UnixNano()}
	l.tags["warp_id"] = about.ID
	if _, taken := l.tags["store"]; !taken && f.Store != "" && f.Store != "s3" { // an addition to MinIO warp, which knows one kind
		l.tags["store"] = f.Store
	}
	for i := range f.Counts {
		c := &f.Counts[i]
		kind := map[string]string{"op": string(c.Kind)}
		if c.Phase != "" { // an addition to MinIO warp, which counts the preparation with the rest
			kind["stage"] = stageOf(c)
		}
		all := live.SumResponses(c.Responses...)
		l.add("warp", kind, append(totals(&all), percentiles(c)...))
		hosts := byHost(c.Responses)
		for _, h := range hosts {
			l.add("warp", withHost(kind, h.Host), totals(&h))
		}
		if !last {
			continue
		}
		l.add("warp_run_summary", kind, append(append(totals(&all), summary(&all)...), append(percentiles(c), firstBytes(c.TTFB)...)...))
		for _, h := range hosts {
			l.add("warp_run_summary", withHost(kind, h.Host), append(totals(&h), summary(&h)...))
		}
	}
	return []byte(l.text.String())
}

func withHost(kind map[string]string, host string) map[string]string {
	tags := maps.Clone(kind)
	tags["endpoint"] = host
	return tags
}

// byHost adds up the responses of each host; those beyond maxHosts are of one.
func byHost(list []live.Response) (hosts []live.Response) {
	names := make(hostNames)
	for _, r := range list {
		name := names.name(r.Host)
		i := slices.IndexFunc(hosts, func(h live.Response) bool { return h.Host == name })
		if i < 0 {
			i = len(hosts)
			hosts = append(hosts, live.Response{Host: name})
		}
		hosts[i] = live.SumResponses(hosts[i], r)
		hosts[i].Host = name
	}
	return hosts
}

// totals are the fields that grow. Failed operations count as requests and errors only.
func totals(r *live.Response) []string {
	fields := []string{
		integer("requests", r.Ops),
		integer("objects", r.Objects),
		integer("bytes_total", r.Bytes),
		integer("errors", r.Errors),
		float("request_total_secs", r.Time.Seconds()),
	}
	if r.FirstByte > 0 {
		fields = append(fields, float("request_ttfb_total_secs", r.FirstByte.Seconds()))
	}
	return fields
}

// summary are the fields of the end.
func summary(r *live.Response) []string {
	n := r.Ops - r.Errors
	if n == 0 {
		return nil
	}
	return []string{
		float("request_avg_secs", r.Time.Seconds()/float64(n)),
		float("request_max_secs", r.Slowest.Seconds()),
		float("request_min_secs", r.Fastest.Seconds()),
	}
}

// firstBytes returns the fields of times to first byte.
func firstBytes(h *hist.Histogram) []string {
	if h.Count() == 0 {
		return nil
	}
	return []string{
		float("request_ttfb_avg_secs", h.Mean()/1e9),
		float("request_ttfb_max_secs", seconds(h.Max())),
		float("request_ttfb_min_secs", seconds(h.Min())),
	}
}

// percentiles are fields that MinIO warp does not have.
func percentiles(c *live.Count) (fields []string) {
	for _, p := range []struct {
		name string
		at   float64
	}{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99_9", 99.9}} {
		if v, enough := c.Latency.Percentile(p.at); enough {
			fields = append(fields, float("request_"+p.name+"_secs", seconds(v)))
		}
	}
	return fields
}

func integer(name string, v int64) string { return name + "=" + strconv.FormatInt(v, 10) + "i" }
func float(name string, v float64) string { return name + "=" + strconv.FormatFloat(v, 'g', -1, 64) }

// lines is points in line protocol.
type lines struct {
	text strings.Builder
	tags map[string]string // of all points
	at   int64
}

var escape = strings.NewReplacer(`,`, `\,`, `=`, `\=`, ` `, `\ `, "\n", `\ `, "\r", `\ `, `\`, `/`)

// add adds a point. Tags without a value are left out, which the protocol does not have.
func (l *lines) add(measurement string, tags map[string]string, fields []string) {
	all := maps.Clone(l.tags)
	maps.Copy(all, tags)
	l.text.WriteString(measurement)
	for _, name := range slices.SortedFunc(maps.Keys(all), cmp.Compare[string]) {
		if all[name] != "" {
			l.text.WriteString("," + escape.Replace(name) + "=" + escape.Replace(all[name]))
		}
	}
	l.text.WriteString(" " + strings.Join(fields, ",") + " " + strconv.FormatInt(l.at, 10) + "\n")
}
