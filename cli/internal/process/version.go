package process

import (
	"cmp"
	"runtime/debug"
)

// version is set by release builds; otherwise the build information of the binary has it.
var version string

// Version is the version of this binary, with the commit it was built from where that is known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	v, commit, dirty := info.Main.Version, "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if version != "" {
		v = version
	}
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	if commit != "" {
		v += " (" + commit + dirty + ")"
	}
	return v
}
