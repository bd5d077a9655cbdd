package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
)

// presetFlags sets the flags for the requests of --compat, unless the user gives them.
func (b *Benchmark) presetFlags(isSet func(flag string) bool) error {
	presets := b.Analyze.Compat.Presets(b.Info.Name)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(presets)) {
		if !isSet(name) {
			errs = append(errs, option.Wrap(name, b.flag(name).Set(name, presets[name])))
		}
	}
	if b.Analyze.Compat.MinIO() && b.Info.Name == "get" && isSet("part.size") {
		errs = append(errs, b.partSizeOfUploads(isSet))
	}
	return errors.Join(errs...)
}

// partSizeOfUploads gives --part.size of get the meaning that it has in MinIO warp: that of --part.put.
func (b *Benchmark) partSizeOfUploads(isSet func(flag string) bool) error {
	if isSet("part.put") || isSet("part.get") {
		return option.Errorf("part.size", "with --compat=minio it is --part.put; use --part.put and --part.get")
	}
	size := b.flag("part.size")
	return errors.Join(b.flag("part.put").Set("part.put", fmt.Sprint(size.Get())), size.Set("part.size", "0"))
}

// flag returns a flag of the command by its name; nil if there is none.
func (b *Benchmark) flag(name string) cli.Flag {
	i := slices.IndexFunc(b.command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return b.command.Flags[i]
}
