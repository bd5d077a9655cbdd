package convert

import (
	"encoding/json"
	"strings"

	"warp/pkg/bench"
	"warp/pkg/script/convert/osb"
	"warp/pkg/script/convert/s3bench"
	"warp/pkg/units"
)

// Words is a stream in the words of the tools that it may have been converted from, for reports in their formats. What a stream does
// not say is 0 or empty.
type Words struct {
	Statement string   // of object-store-bench
	Naming    string   // the strategy of its names, of an upload
	Seeds     []string // of these names, of each client
	Prefix    string   // of the keys of s3bench, or of any
	Batch     int      // objects of s3bench whose keys have a directory in common
	Ranges    bool     // of objects are read
	Objects   uint64   // of the data set, as far as the stream says
	Buckets   int      // that they are spread over
	Size      int64    // of each of them, in bytes
	PartSize  int64    // of transfers in parts, in bytes
}

// streamParams is what Words needs of the parameters of a workload.
type streamParams struct {
	Objects   uint64          `json:"objects"`
	Access    string          `json:"access"`
	PartSize  json.RawMessage `json:"part_size"`
	Range     bool            `json:"range"`
	RangeSize json.RawMessage `json:"range_size"`
	List      json.RawMessage `json:"ranges"`
}

// WordsOf returns a stream of a plan in the words of other tools. clients is the number of clients of the run.
func WordsOf(p *bench.Compiled, s *bench.Stream, clients uint64) Words {
	var params streamParams
	_ = json.Unmarshal(s.Params, &params) // of a later version: nothing is known
	spec := p.Data
	if s.Set != "" {
		spec = p.Sets[s.Set]
	}
	w := Words{
		Objects:  params.Objects,
		Buckets:  spec.Buckets,
		Ranges:   params.Range || sizeOf(params.RangeSize) > 0 || len(params.List) > len(`""`),
		PartSize: sizeOf(params.PartSize),
	}
	switch s.Workload {
	case "put", "multipart-put":
		w.Objects = max(w.Objects, s.Ops)
	}
	w.Prefix, w.Batch = s3bench.Keys(spec.Keys)
	if w.Prefix == "" && spec.Keys == "" {
		w.Prefix = spec.Prefix
	}
	if size, fixed := spec.Sizes.Fixed(); fixed {
		w.Size = size
	}
	w.Statement = osb.Statement(s, params.Access, params.Range, w.Size)
	if s.Workload == "put" {
		if w.Naming = osb.Naming(spec.Keys); w.Naming != "" {
			for _, key := range p.FirstKeys(s, clients) {
				w.Seeds = append(w.Seeds, osb.Seed(w.Naming, key))
			}
		}
	}
	return w
}

// sizeOf returns a size as workloads write it, in bytes or with a unit.
func sizeOf(text json.RawMessage) int64 {
	n, err := units.ParseSize(strings.Trim(string(text), `"`))
	if err != nil {
		return 0
	}
	return n
}
