package workload

import (
	"encoding/json"
	"flag"
	"slices"

	"warp/pkg/bench/work"
)

// companion is a workload that a mix can have in addition to its own operations.
type companion struct {
	workload string
	shares   []companionShare
	make     func(m *Mixed) work.Workload // with the parameters that it has in a mix
}

// companionShare is a share of turns of a companion.
type companionShare struct {
	name   string
	object string // what the turns do, for help
}

// heldSize is the size of objects that are locked and never read.
const heldSize = 1 << 10

// companions are the workloads that a mix can have in addition to its own operations.
var companions []companion

// CompanionParams are the parameters of a mix's companions.
type CompanionParams struct {
	PerArchive int    `json:"objs_per"`
	Files      uint64 `json:"files"`
	Copies     int    `json:"copies"`
}

// Bind binds the parameters to flags. Objects of a mix are large, so the defaults are small.
func (p *CompanionParams) Bind(fs *flag.FlagSet) {
	fs.IntVar(&p.PerArchive, "objs.per", 10, "`N` with --snowball-distrib: objects in an archive")
	fs.Uint64Var(&p.Files, "files", 100, "`N` with --zip-distrib: files in the archive")
	fs.IntVar(&p.Copies, "copies", 10, "`N` with --fanout-distrib: objects that an upload creates")
}

// defaults returns a workload with its default parameters.
func defaults[W work.Workload](w W) W {
	w.Flags(flag.NewFlagSet("", flag.ContinueOnError))
	return w
}

// locking returns the companion that locks objects of a mix.
func (m *Mixed) locking(by *lock, name string) work.Workload {
	l := defaults(&Locking{lock: by})
	l.Objects, l.Versions, l.Size = m.Objects, 1, heldSize
	l.PutShare, l.GetShare = m.Others.Of(name+"-put"), m.Others.Of(name+"-get")
	return l
}

// has reports whether a share is the companion's.
func (c *companion) has(share string) bool {
	return slices.ContainsFunc(c.shares, func(s companionShare) bool { return s.name == share })
}

// name returns the name that distinguishes its operations from others'.
func (c *companion) name() string {
	if len(c.shares) == 1 {
		return c.shares[0].name
	}
	return c.workload
}

// Companions returns the workloads with a share.
func (m *Mixed) Companions() (own work.Share, others []work.Companion) {
	for _, s := range m.shares() {
		own += s.share
	}
	for _, c := range companions {
		sum := work.Share(0)
		for _, s := range c.shares {
			sum += m.Others.Of(s.name)
		}
		if !(sum > 0) {
			continue
		}
		params, err := json.Marshal(c.make(m))
		if err != nil {
			panic(err) // numbers and strings can always be encoded
		}
		others = append(others, work.Companion{Name: c.name(), Weight: sum, Workload: c.workload, Params: params})
	}
	return own, others
}
