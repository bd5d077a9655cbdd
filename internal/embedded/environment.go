package embedded

import "os"

// passedOn are the variables that the child inherits: where temporary files go, and what tunes or tests the Go runtime.
var passedOn = []string{
	"TMPDIR", "TMP", "TEMP",
	"GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "GORACE",
}

// environment is all that the child inherits of this process's variables. Keys and tokens of stores are none of its business,
// and every variable is readable in /proc for as long as it lives.
func environment() []string {
	env := []string{} // nil would be all of them
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
