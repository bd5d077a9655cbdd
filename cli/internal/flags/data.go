package flags

import (
	"fmt"
	"math/rand/v2"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/naming"
	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Data say what the objects of a run are like, and what becomes of them.
type Data struct {
	Size, contents           string
	prefix, Keys             string
	random, noPrefix         bool
	NoClear, KeepData, Force bool
	overwriteKept            bool
	assume                   string
	buckets                  int
	seed, dataSeed           uint64
	Files                    *Files // that they name
}

// Flags are those about objects; size is the default of --obj.size.
func (d *Data) Flags(size string) []cli.Flag {
	return Categorize(CatData, []cli.Flag{
		&cli.StringFlag{
			Name:        "obj.size",
			Destination: &d.Size,
			Value:       size,
			Usage:       "`SIZE` size of objects, or a distribution (see \"warp help sizes\")",
		},
		&cli.BoolFlag{Name: "obj.randsize", Destination: &d.random, Usage: "random sizes up to --obj.size (see \"warp help sizes\")"},
		&cli.StringFlag{
			Name:        "obj.content",
			Aliases:     []string{"obj.generator"},
			Destination: &d.contents,
			Value:       "random",
			Usage:       "`CONTENTS` contents of objects (see \"warp help contents\")",
		},
		&cli.StringFlag{Name: "prefix", Destination: &d.prefix, Usage: "`PREFIX` key prefix of all objects"},
		&cli.StringFlag{
			Name:        "keys",
			Destination: &d.Keys,
			Usage:       "`TEMPLATE` names of objects, as in data/{i:012}.bin (see \"warp help keys\")",
		},
		&cli.IntFlag{
			Name:        "buckets",
			Destination: &d.buckets,
			Value:       1,
			Usage:       "`N` buckets to spread objects over: --bucket, and that name with -2, -3, ...",
		},
		&cli.BoolFlag{Name: "noprefix", Destination: &d.noPrefix, Usage: "no separate prefix for each thread"},
		&cli.BoolFlag{Name: "noclear", Destination: &d.NoClear, Usage: "keep the objects of the run"},
		&cli.BoolFlag{Name: "keep-data", Destination: &d.KeepData, Usage: "same as --noclear"},
		&cli.BoolFlag{
			Name:        "overwrite-kept",
			Destination: &d.overwriteKept,
			Usage:       "overwrite objects that an earlier run kept under the same names",
		},
		&Choice{Values: Offered(generator.Assumptions...), StringFlag: cli.StringFlag{
			Name:        "assume",
			Destination: &d.assume,
			Usage:       "`WHAT` with --list-existing: what --keys tells without a listing: names or sizes",
		}},
		&cli.BoolFlag{
			Name:        "force",
			Destination: &d.Force,
			Sources:     process.CommandLineOnly(),
			Usage:       "proceed even if objects of others would be deleted or overwritten",
		},
		&cli.Uint64Flag{
			Name:        "data.seed",
			Destination: &d.dataSeed,
			Usage:       "`NUMBER` seed of names, sizes and contents alone; 0: same as --seed",
		},
		&cli.Uint64Flag{
			Name:        "seed",
			Destination: &d.seed,
			Usage:       "`NUMBER` seed; runs with the same seed do the same things",
			DefaultText: "random",
		},
	})
}

// Spec returns the data set. It adds what is wrong with the flags to a list.
func (d *Data) Spec(e *[]error) generator.Spec {
	sizes, err := generator.ReadSizes(d.Size, d.random, d.Files.reader("obj.size", input.List))
	if err != nil {
		*e = append(*e, option.Wrap("obj.size", err))
		sizes = generator.Sizes{Max: 5 << 30} // valid, so that there is no second error
	}
	keys, err := naming.Hostname(d.Keys)
	if err != nil {
		*e = append(*e, option.Wrap("keys", err))
	}
	spec := generator.Spec{
		Sizes:    sizes,
		Prefix:   d.prefix,
		NoPrefix: d.noPrefix,
		Keys:     keys,
		Seed:     d.dataSeed,

		OverwriteKept: d.overwriteKept,
		Assume:        d.assume,
	}
	if d.buckets != 1 { // which is left out of plans
		spec.Buckets = d.buckets
	}
	if d.buckets == 0 {
		*e = append(*e, option.Invalid("buckets", d.buckets, fmt.Sprintf("1 to %d", s3.MaxBuckets)))
	}
	path := func(name string) (string, error) { return d.Files.Path("obj.content", name) }
	*e = append(*e, option.Wrap("obj.content", spec.SetContents(d.contents, path)))
	return spec
}

// ChosenSeed is the seed of the run: --seed, or else a random one.
func (d *Data) ChosenSeed(set bool) uint64 {
	if set {
		return d.seed
	}
	return rand.Uint64() >> 1 // fits the integers of every JSON reader that has 63 bits
}
