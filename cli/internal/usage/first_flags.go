package usage

import (
	"slices"

	"github.com/urfave/cli/v3"
)

// firstFlags are the flags of a first run of each command, in the order of help. Those that a command lacks are left out.
var firstFlags = map[string][]string{
	"search":   {"slo", "control", "budget", "trial"},
	"sweep":    {"over", "repeats"},
	"run":      {"set", "small", "check", "explain"},
	"replay":   {"speed", "only", "scale"},
	"baseline": {"explain"},
	"analyze":  {"analyze.op", "analyze.host", "analyze.skip", "analyze.dur", "analyze.out", "report", "histogram", "each"},
	"cmp":      {"before", "after", "threshold", "fail-if", "summary-md"},
	"merge":    {"benchdata", "overwrite", "report"},
	"clean":    {"dry-run", "host", "access-key", "secret-key", "seed", "bucket"},
	"verify":   {"sample", "host", "access-key", "secret-key", "concurrent"},
	"trace":    {"columns", "only", "scale", "out"},

	"get":           {"objects", "range", "list-existing"},
	"mixed":         mixedShares,
	"versioned":     mixedShares,
	"retention":     {"put-distrib", "get-distrib"},
	"legal-hold":    {"put-distrib", "get-distrib"},
	"tag":           {"get-distrib", "put-distrib", "delete-distrib"},
	"delete":        {"batch"},
	"list":          {"max-keys"},
	"multipart":     {"part.size", "parts"},
	"multipart-put": {"part.size", "parts", "part.concurrent"},
	"select":        {"query"},
	"append":        {"parts"},
	"contend":       {"keys"},
	"snowball":      {"objs.per"},
	"zip":           {"files"},
	"fanout":        {"copies"},
	"create-bucket": {"extra-buckets"},
	"delete-bucket": {"extra-buckets"},
}

var mixedShares = []string{"get-distrib", "stat-distrib", "put-distrib", "delete-distrib"}

// aroundFirst are first flags of most commands: before and after their own.
var aroundFirst = [2][]string{
	{"host", "access-key", "secret-key", "tls", "bucket"},
	{"objects", "obj.size", "concurrent", "duration", "html", "json", "quiet"},
}

// OwnFirst returns the flags of a first run that the tables have for a command, or for one below it.
func OwnFirst(command string) []string { return firstFlags[command] }

// fewFlags is how many flags of a command need no choice.
const fewFlags = 15

// First returns the flags of a first run of a command.
func First(c *cli.Command) (list []HelpFlag) {
	all := shown(c.Flags)
	if len(all) <= fewFlags {
		return nil
	}
	var names []string
	for _, part := range [][]string{aroundFirst[0], firstFlags[parentName(c)], firstFlags[c.Name], aroundFirst[1]} {
		names = append(names, part...)
	}
	if own := firstFlags[c.Name]; slices.Contains(own, "host") { // its order counts
		names = own
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(f HelpFlag) bool { return f.Names()[0] == name })
		if i >= 0 && !slices.ContainsFunc(list, func(f HelpFlag) bool { return f.Names()[0] == name }) {
			list = append(list, all[i])
		}
	}
	return list
}
