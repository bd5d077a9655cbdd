// Package script is the scenario language: a file that says which data sets there are, which phases run on them, what they
// must achieve. Parse reads a file, File.Format writes one, and Resolve makes a bench.Plan of it.
//
// All scalars stay texts until a file is resolved, since a variable may stand for any of them. The tags of these structs are
// the language: they are what is parsed and written, and what the JSON Schema is made of.
package script

// Version is the version of the format.
const Version = "1"

// File is a scenario.
type File struct {
	Note
	Warp    Value    `key:"warp" is:"version" doc:"version of the format"`
	Seed    Value    `key:"seed" flag:"seed" is:"number" doc:"seed of names, sizes, contents and order; without it, a random one"`
	Small   Small    `key:"small" doc:"values of variables for a small trial, with --small"`
	Target  Target   `key:"target" doc:"the store and how requests are sent; default: flags, environment, or the embedded server"`
	Data    DataSets `key:"data" doc:"data sets by name"`
	Phases  []Phase  `key:"phases" doc:"what is done, in this order; a list inside the list runs in parallel"`
	Outputs Outputs  `key:"outputs" doc:"files and addresses to which results go"`

	SharedData Value `key:"shared-data" flag:"shared-data" is:"bool" doc:"all clients work on one data set, instead of one each"`
	StopFull   Value `key:"stop-on-full" flag:"stop-on-full" is:"bool" doc:"end the run when the store is full"`
	Force      Value `key:"force" flag:"force" is:"bool" doc:"proceed even if objects of others would be deleted or overwritten"`

	Sections map[string]*Note // comments at data and phases, by key
	Foot     string           // comment below everything

	source *Source
}

// Target says which store is measured. Credentials are never in the file.
type Target struct {
	Note
	Hosts  []Value `key:"hosts" doc:"host:port or URL; ranges as in s3-{1...4}:9000"`
	Bucket Value   `key:"bucket" doc:"bucket to use"`
	Region Value   `key:"region" doc:"region to sign for"`
	Params []Param `key:",rest" doc:"any other flag of a benchmark that is about hosts, requests or uploads, by its name"`
}

// Param is an option under the name of its flag.
type Param struct {
	Note
	Name   string
	Values []Value
}

// NewParam returns an option with its values.
func NewParam(name string, values ...string) Param {
	return Param{Name: name, Values: Texts(values...)}
}

// DataSets are data sets in the order of the file.
type DataSets []DataSet

// Lookup returns the data set of a name.
func (d DataSets) Lookup(name string) (*DataSet, bool) {
	for i := range d {
		if d[i].Name == name {
			return &d[i], true
		}
	}
	return nil, false
}

// DataSet is objects that phases make and use.
type DataSet struct {
	Note
	Name          string
	Objects       Value   `key:"objects" flag:"objects,some" is:"count" doc:"number of objects; 0: as many as phases make"`
	Size          Value   `key:"size" flag:"obj.size" is:"size" doc:"size or distribution: 64KiB, lognormal(median=1MiB,sigma=0.8,max=64MiB)"`
	RandSize      Value   `key:"randsize" flag:"obj.randsize" is:"bool" doc:"random sizes up to size, equally many in each doubling"`
	Keys          Value   `key:"keys" flag:"keys" doc:"template of keys"`
	Prefix        Value   `key:"prefix" flag:"prefix" doc:"key prefix of all objects"`
	NoPrefix      Value   `key:"noprefix" flag:"noprefix" is:"bool" doc:"no separate prefix per thread"`
	Seed          Value   `key:"seed" flag:"data.seed" is:"count" doc:"seed of its names, sizes and contents"`
	Content       Content `key:"content" doc:"contents of objects: random, zero, or how compressible"`
	Part          Value   `key:"part" flag:"part.size,some" is:"size" doc:"part size of multipart uploads"`
	Buckets       Value   `key:"buckets" flag:"buckets" is:"count" doc:"number of buckets over which objects are spread"`
	Existing      Value   `key:"existing" flag:"list-existing,needs" is:"bool" doc:"use objects that are in the bucket, and upload none"`
	Keep          Value   `key:"keep" flag:"keep-data" is:"bool" doc:"leave the objects in the bucket after the run"`
	OverwriteKept Value   `key:"overwrite-kept" flag:"overwrite-kept" is:"bool" doc:"overwrite objects that an earlier run kept"`
	Assume        Value   `key:"assume" flag:"assume" is:"names|sizes" doc:"with existing: no listing; what objects have for sure"`
	Verify        Value   `key:"verify" flag:"verify,some" is:"bool" doc:"compare every byte that is read with what was uploaded"`
	Grow          Value   `key:"grow" is:"bool" doc:"reads also use objects that phases add, as they always do"`
}

// Content says what objects contain.
type Content struct {
	Note
	Kind         Value `key:"kind,short" is:"random|zero" doc:"random (unique, incompressible) or zero"`
	Compressible Value `key:"compressible" is:"percent" doc:"how far contents compress, in percent"`
	Duplicate    Value `key:"duplicate" is:"percent" doc:"share of the blocks of contents that repeat what other objects hold"`
	Block        Value `key:"duplicate-block" is:"size" doc:"size of these blocks: a multiple of 4KiB (the default), at most 4MiB"`
	Files        Value `key:"files" doc:"directory with files to take contents from"`
}

// Outputs are where results go in addition to the report.
type Outputs struct {
	Note
	Recording Value `key:"recording" doc:"file of all operations (.csv.zst)"`
	JSON      Value `key:"json" doc:"file for the report as JSON, in addition to the printed one"`
	Series    Value `key:"series" doc:"file of a time series, one row per segment: .csv, .tsv or .jsonl"`
	HTML      Value `key:"html" doc:"file of the report for browsers"`
	Metrics   Value `key:"metrics" doc:"address of metrics and a live page: 127.0.0.1:9464, or :9464 of this machine"`
}
