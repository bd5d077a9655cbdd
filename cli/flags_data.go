package cli

import (
	"fmt"
	"math/rand/v2"

	"github.com/urfave/cli/v3"

	"warp/pkg/generator"
)

// dataFlags say what the objects of a run are like, and what becomes of them.
type dataFlags struct {
	size, kind, prefix       string
	random, noPrefix         bool
	noClear, keepData, force bool
	seed                     uint64
}

func (d *dataFlags) flags(size string) []cli.Flag {
	return categorize(catData, []cli.Flag{
		&cli.StringFlag{Name: "obj.size", Destination: &d.size, Value: size, Usage: "`size` of each object: 10MiB (KB is 1000, KiB 1024), \"min,max\" with --obj.randsize, or weighted classes as in 4096:10740,8192:1685"},
		&cli.BoolFlag{Name: "obj.randsize", Destination: &d.random, Usage: "random sizes up to --obj.size, as many in each doubling"},
		&cli.StringFlag{Name: "obj.generator", Destination: &d.kind, Value: "random", Usage: "`contents` of objects: \"random\" (unique, incompressible) or \"zero\""},
		&cli.StringFlag{Name: "prefix", Destination: &d.prefix, Usage: "put all objects below this `prefix`"},
		&cli.BoolFlag{Name: "noprefix", Destination: &d.noPrefix, Usage: "no separate prefix for each thread"},
		&cli.BoolFlag{Name: "noclear", Destination: &d.noClear, Usage: "leave the objects of the run in the bucket"},
		&cli.BoolFlag{Name: "keep-data", Destination: &d.keepData, Usage: "the same as --noclear"},
		&cli.BoolFlag{Name: "force", Destination: &d.force, Usage: "go on where objects that the run did not make would be deleted or overwritten"},
		&cli.Uint64Flag{Name: "seed", Destination: &d.seed, Usage: "`number` from which names, sizes, contents and order follow; two runs with one seed do the same things", DefaultText: "random"},
	})
}

func (d *dataFlags) spec(e *[]error) generator.Spec {
	sizes, err := generator.ParseSizes(d.size, d.random)
	if err != nil {
		*e = append(*e, fmt.Errorf("obj.size: %w", err))
		sizes = generator.Sizes{Max: 5 << 30} // of which nobody complains once more
	}
	return generator.Spec{Generator: d.kind, Sizes: sizes, Prefix: d.prefix, NoPrefix: d.noPrefix}
}

// chosenSeed is the seed of the run: the one asked for, else a random one.
func (d *dataFlags) chosenSeed(set bool) uint64 {
	if set {
		return d.seed
	}
	return rand.Uint64() >> 1 // fits the integers of every JSON reader that has 63 bits
}
