package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/internal/naming"
	"warp/internal/option"
)

// presetFlags sets the flags for the requests of --compat, unless the user gives them.
func (b *Benchmark) presetFlags(isSet func(flag string) bool) error {
	presets := b.Analyze.Compat.Presets(b.Info.Name)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(presets)) {
		if !isSet(name) && (name != "parts" || !isSet("obj.size")) { // where MinIO warp has --parts, it has no --obj.size
			errs = append(errs, option.Wrap(name, flags.Named(b.command.Flags, name).Set(name, presets[name])))
		}
	}
	if b.Analyze.Compat.MinIO() && b.Info.Name == "get" && isSet("part.size") {
		errs = append(errs, b.partSizeOfUploads(isSet))
	}
	if b.objName != "" {
		errs = append(errs, b.setObjectName(isSet))
	}
	return errors.Join(errs...)
}

// nameFlags are the flags of MinIO warp that name the only object of a benchmark.
func (b *Benchmark) nameFlags() []cli.Flag {
	if b.Info.Name != "multipart" {
		return nil
	}
	return []cli.Flag{&cli.StringFlag{Name: "obj.name", Destination: &b.objName, Hidden: true}}
}

// setObjectName sets the key of the only object. As in MinIO warp, a later run may use the same one.
func (b *Benchmark) setObjectName(isSet func(flag string) bool) error {
	if isSet("keys") {
		return option.Errorf("keys", "not with --obj.name, which is the whole name; leave out one of them")
	}
	set := func(name, value string) error { return flags.Named(b.command.Flags, name).Set(name, value) }
	err := errors.Join(set("keys", naming.Escape(b.objName)), set("overwrite-kept", "true"))
	if isSet("noprefix") { // the name is the whole key
		err = errors.Join(err, set("noprefix", "false"))
	}
	return err
}

// partSizeOfUploads gives --part.size of get the meaning that it has in MinIO warp: that of --part.put.
func (b *Benchmark) partSizeOfUploads(isSet func(flag string) bool) error {
	if isSet("part.put") || isSet("part.get") {
		return option.Errorf("part.size", "with --compat=minio it is --part.put; use --part.put and --part.get")
	}
	size := flags.Named(b.command.Flags, "part.size")
	return errors.Join(flags.Named(b.command.Flags, "part.put").Set("part.put", fmt.Sprint(size.Get())), size.Set("part.size", "0"))
}
