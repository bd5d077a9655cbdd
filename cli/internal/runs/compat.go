package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"warp/cli/internal/flags"
	"warp/internal/option"
)

// presetFlags sets the flags for the requests of --compat, unless the user gives them.
func (b *Benchmark) presetFlags(isSet func(flag string) bool) error {
	presets := b.Analyze.Compat.Presets(b.Info.Name)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(presets)) {
		if !isSet(name) {
			errs = append(errs, option.Wrap(name, flags.Named(b.command.Flags, name).Set(name, presets[name])))
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
	size := flags.Named(b.command.Flags, "part.size")
	return errors.Join(flags.Named(b.command.Flags, "part.put").Set("part.put", fmt.Sprint(size.Get())), size.Set("part.size", "0"))
}
