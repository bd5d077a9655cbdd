package usage

import "strings"

// WithOptionalValues returns the arguments with the value of --range behind an equals sign: the flag may have none, so the parser takes
// what follows it for another argument, which the commands with this flag do not have.
func WithOptionalValues(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if strings.TrimLeft(arg, "-") == "range" && arg != "range" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			arg += "=" + args[i]
		}
		list = append(list, arg)
	}
	return list
}
