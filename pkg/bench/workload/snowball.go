package workload

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

var snowballInfo = work.Info{
	Name:  "snowball",
	Usage: "upload archives that the server extracts (MinIO)",
	Description: "Uploads objects, --objs.per of them at a time as a tar archive that the server extracts. Archives " +
		"are built before their requests start. This is a MinIO extension.",
	Size:    "512KiB",
	Example: "--objs.per=100 --obj.size=16KiB",
	New:     func() work.Workload { return &Snowball{} },
}

var snowballShare = companion{
	workload: "snowball",
	shares:   []companionShare{{"snowball", "uploads of archives, with --objs.per objects, for the server to extract"}},
	make: func(m *Mixed) work.Workload {
		s := defaults(&Snowball{})
		s.PerArchive = m.PerArchive
		return s
	},
}

// Snowball uploads archives of objects.
type Snowball struct {
	PerArchive int  `json:"objs_per"`
	Compress   bool `json:"compress,omitempty"`

	archives []*Archive // by thread
}

// maxPerArchive is the maximum number of objects in an archive.
const maxPerArchive = 100_000

// Flags binds the parameters.
func (s *Snowball) Flags(fs *flag.FlagSet) {
	fs.IntVar(&s.PerArchive, "objs.per", 50, "`N` objects in an archive")
	fs.BoolVar(&s.Compress, "compress", false, "compress archives (S2); their objects have the same contents")
}

// Validate checks the parameters.
func (s *Snowball) Validate(work.Load, generator.Spec) []error {
	if s.PerArchive < 1 || s.PerArchive > maxPerArchive {
		return []error{option.Invalid("objs.per", s.PerArchive, "1 to 100000")}
	}
	return nil
}

// Traits declares that objects are added.
func (s *Snowball) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Put}},
		Data:    work.Data{Rewrites: s.Compress},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Snowball)},
		Sharing: work.Sharing{OneBucket: true},
	}
}

// Estimate returns the cost of uploads of archives.
func (s *Snowball) Estimate(t work.Turns) (c work.Cost) {
	c.Request(op.Put, t.Count)
	archives := t.Count
	t.Count *= uint64(s.PerArchive)
	c.Objects, c.Stored = t.Count, t.Size()
	if c.Sent = tarSize(t, archives); s.Compress && archives > 0 {
		c.Sent = int64(archives) * compressedSize(c.Sent/int64(archives), c.Sent/int64(t.Count))
	}
	return c
}

// Prepare makes the archives, which are empty.
func (s *Snowball) Prepare(set *dataset.DataSet, threads int) error {
	s.archives = nil
	for range threads {
		s.archives = append(s.archives, NewArchive(set))
	}
	return nil
}

// Do uploads one archive.
func (s *Snowball) Do(ctx context.Context, w *work.Worker) error {
	return s.archives[w.ID].PutArchive(ctx, w, s.PerArchive, s.Compress)
}

// compressedSize estimates the compressed size of an archive of equal files: each block holds the contents once.
func compressedSize(archive, file int64) int64 {
	return min(archive, (archive+compressedBlock-1)/compressedBlock*min(file, compressedBlock))
}

// tarSize estimates the size of archives with one file for each turn. Header and contents of a file each fill whole blocks; a long name
// takes three more.
func tarSize(t work.Turns, archives uint64) int64 {
	const block, shortName = 512, 100
	header := int64(block)
	if len(t.Set.Keys.Key(0)) > shortName {
		header += 3 * block
	}
	return int64(archives)*2*block + int64(t.Mean(func(size int64, _ uint64) float64 {
		return float64(header + (size+block-1)/block*block)
	}))
}
