// Package cosbench reads workload files of COSBench.
package cosbench

import (
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// converter makes phases of workstages.
type converter struct {
	*draft.Draft
	root *element
	sets []*dataSet
	fork bool // a file of the fork of sine-io

	measures bool // it has a normal work
}

func read(d *draft.Draft, text string) {
	root := parseXML(text, d)
	if len(d.List) > 0 || root == nil {
		return
	}
	c := &converter{Draft: d, root: root}
	if root.name != "workload" {
		d.Addf(root.at, "<%s> (want <workload>)", root.name)
		return
	}
	root.inherit(nil, nil)
	root.walk(c.keys)
	root.walk(c.storage)
	root.walk(c.collect)
	c.bound()
	if len(d.List) > 0 {
		return
	}
	for _, flow := range root.children {
		for _, stage := range flow.children {
			if flow.name == "workflow" && stage.name == "workstage" {
				c.stage(stage)
			}
		}
	}
	c.dataSets()
}

// keys looks at the keys of config, and at what no scenario has.
func (c *converter) keys(e *element) {
	if e.attrs["trigger"] != "" {
		c.Addf(e.at, "trigger %q: nothing runs a script on the servers; use exec in the scenario", e.attrs["trigger"])
	}
	options := configOptions
	switch e.name {
	case "auth":
		return
	case "storage":
		options = storageOptions
	}
	c.measures = c.measures || e.name == "work" && (e.attrs["type"] == "" || e.attrs["type"] == "normal")
	for _, p := range pairsOf(e.attrs["config"]) {
		c.Key(e.at, "unknown key", p[0], p[1], options)
		if p[0] == "hashcheck" {
			c.Notef("hashcheck: COSBench reads hashCheck only, so nothing is verified.")
		}
	}
}

// storage says which store is measured.
func (c *converter) storage(e *element) {
	if e.name != "storage" || !c.storageType(e) {
		return
	}
	own := configOf(e.attrs["config"])
	endpoint := strings.TrimSuffix(own["endpoint"], "/")
	switch {
	case endpoint == "":
	case len(c.Target.Hosts) == 0:
		c.SetHosts(e.at, endpoint)
		c.target(e, own)
	case c.Target.Hosts[0].Text != endpoint:
		c.Addf(e.at, "a second storage with another endpoint, %s (want one)", endpoint)
	}
	if own["proxyhost"] != "" {
		c.Addf(e.at, "proxyhost=%s: requests through a proxy cannot be converted", own["proxyhost"])
	}
	if draft.IsTrue(own["is_prefetch"]) {
		c.Addf(e.at, "is_prefetch=true cannot be converted")
	}
}

// storageType reports whether a store speaks S3.
func (c *converter) storageType(e *element) bool {
	switch kind := e.attrs["type"]; {
	case kind == "sio", kind == "siov1", kind == "gdas":
		c.fork = true
	case kind == "s3", kind == "none", kind == "mock", kind == "":
	case kind == "ecs", kind == "gcs":
		c.Addf(e.at, "storage of type %q: only S3 can be measured; write type=\"s3\", and name its S3 endpoint with --host", kind)
		return false
	case strings.Contains(otherStores, " "+kind+" "):
		c.Addf(e.at, "storage of type %q is no S3 (want s3)", kind)
		return false
	default:
		c.Addf(e.at, "unknown storage of type %q (want s3)", kind)
		return false
	}
	return true
}

// target sets what the first storage says about all requests.
func (c *converter) target(e *element, own map[string]string) {
	if region := own["region"] + own["aws_region"]; region != "" {
		c.Target.Region = script.Text(region).At(e.at)
	}
	for _, o := range []struct {
		name, value string
		on          bool
	}{
		{"lookup", "path", draft.IsTrue(own["path_style_access"])},
		{"insecure", "true", draft.IsTrue(own["no_verify_ssl"])},
		{"storage-class", own["storage_class"], own["storage_class"] != ""},
	} {
		if o.on {
			c.Target.Params = append(c.Target.Params, script.NewParam(o.name, o.value))
		}
	}
	c.Secret(e.at, "access-key", own["accesskey"])
	c.Secret(e.at, "secret-key", own["secretkey"])
}
