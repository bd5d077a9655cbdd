package script

import (
	"reflect"
	"slices"
	"strings"

	"warp/internal/secret"
)

// FromFlags returns a scenario that makes the plan of a benchmark with these flags set, under the names of cmd.Flags. The load has what
// flags do not say.
func FromFlags(operation string, cmd Command, set []Param, load Load) *File {
	const name = "objects"
	data := DataSet{Name: name, Size: Text(cmd.Default("obj.size"))}
	ph := Phase{Run: Text(operation), Load: load}
	do := Do{Op: operation, Set: Text(name)}
	f := &File{Warp: Text(Version)}
	var steady, percent, slope, length string
	for _, p := range set {
		value := p.Values[0]
		switch {
		case slices.Contains(secret.Credentials, p.Name):
		case p.Name == "host":
			f.Target.Hosts = p.Values
		case p.Name == "bucket":
			f.Target.Bucket = value
		case p.Name == "region":
			f.Target.Region = value
		case p.Name == "obj.generator", p.Name == "obj.content":
			data.Content.Kind = value
		case p.Name == "noclear":
			data.Keep = value
		case p.Name == "ok":
			ph.OK = Texts(strings.Split(value.Text, ",")...)
		case p.Name == "autoterm":
			steady = value.Text
		case p.Name == "autoterm.pct":
			percent = value.Text
		case p.Name == "autoterm.slope":
			slope = "," + value.Text + "%"
		case p.Name == "autoterm.dur":
			length = "/" + value.Text
		case p.Name == "objects" && cmd.Default(p.Name) != "0":
			data.Objects = value
		case cmd.OfOperation(p.Name):
			do.Params = append(do.Params, p)
		case cmd.OfTarget(p.Name):
			f.Target.Params = append(f.Target.Params, p)
		default:
			for _, in := range []any{f, &data, &ph, &ph.Load, &ph.Until} {
				setFlag(reflect.ValueOf(in).Elem(), p)
			}
		}
	}
	if steady == "true" {
		if percent == "" {
			percent = cmd.Default("autoterm.pct")
		}
		ph.Until.Steady = Text(percent + "%" + slope + length)
	}
	if reflect.ValueOf(ph.Load).IsZero() {
		ph.Load.Threads = Texts(cmd.Default("concurrent"))
	}
	if reflect.ValueOf(ph.Until).IsZero() {
		ph.Until.Time = Text(cmd.Default("duration"))
	}
	ph.Do, f.Data = []Do{do}, DataSets{data}
	f.Phases = []Phase{ph}
	return f
}

// setFlag sets the key that stands for a flag, if a struct has one.
func setFlag(v reflect.Value, p Param) {
	for _, f := range fieldsOf(v.Type()).list {
		if f.flag != p.Name {
			continue
		}
		switch to := v.Field(f.index).Addr().Interface().(type) {
		case *Value:
			*to = p.Values[0]
		case *[]Value:
			*to = p.Values
		}
	}
}
