package runs

import (
	"errors"
	"fmt"
	"strings"

	"warp/cli/internal/process"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
)

// howToCleanAll returns an error that names the command which removes what the clients of a run left; nil if nothing is left.
func howToCleanAll(r *coordinator.Result, path string, merged bool) error {
	switch {
	case !r.Left:
		return nil
	case merged:
		return errors.New("to remove what is left: " + process.ShellCommand("warp", "clean", process.ShellFile(path)))
	}
	return errors.New("to remove what is left: warp clean, with the recording of each client")
}

// howToClean returns an error that names the command which removes what a run could not; nil if nothing is left.
func (b *Benchmark) howToClean(rec *runFile, err error) error {
	if !errors.As(err, new(*bench.CleanupError)) || b.embedded != nil {
		return nil
	}
	if !rec.none {
		rec.keep = true
		command := []string{"warp", "clean", process.ShellFile(rec.path)}
		if b.Plan.Target.Signature == "S3V2" || b.Target.WebToken != "" { // see keysStay
			command = append(command, b.hostFlag())
		}
		return errors.New("to remove what is left: " + process.ShellCommand(command...))
	}
	data := &b.Plan.Data
	if b.Verb != "" || data.Keys != "" {
		return nil
	}
	target := &b.Plan.Target
	command := []string{"warp", "clean", fmt.Sprintf("--seed=%d", b.Plan.Seed), b.hostFlag(), "--bucket=" + target.Bucket}
	if data.Prefix != "" {
		command = append(command, "--prefix="+data.Prefix)
	}
	if data.NoPrefix {
		command = append(command, "--noprefix")
	}
	return errors.New("to remove what is left: " + process.ShellCommand(command...))
}

// hostFlag names the hosts of the run.
func (b *Benchmark) hostFlag() string {
	return "--host=" + strings.Join(b.Plan.Target.HostURLs(), ",")
}
