package runs

import (
	"errors"
	"fmt"
	"strings"

	"warp/cli/internal/process"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
)

// uncleanedClientsError returns an error that names the command which removes what the clients of a run left; nil if nothing is left.
func uncleanedClientsError(r *coordinator.Result, path string, merged bool) error {
	switch {
	case !r.Left:
		return nil
	case merged:
		return errors.New("to remove what is left: " + process.ShellCommand("warp", "clean", process.ShellFile(path)))
	}
	return errors.New("to remove what is left: warp clean, with the recording of each client")
}

// uncleanedError returns an error that names the command which removes what a run could not; nil if nothing is left.
func (r *run) uncleanedError(rec *runFile, err error) error {
	if !errors.As(err, new(*bench.CleanupError)) || r.embedded != nil {
		return nil
	}
	rec.keep = true
	if command := r.cleanCommand(rec); command != "" {
		return errors.New("to remove what is left: " + command)
	}
	return nil
}

// informKept names the command which removes what a run keeps in its bucket.
func (r *run) informKept(rec *runFile) {
	if r.embedded != nil || !r.Plan.KeepData && len(r.Plan.KeepSets) == 0 {
		return
	}
	if command := r.cleanCommand(rec); command != "" {
		r.watch.Inform("The objects stay in the bucket. To remove them: " + command)
	}
}

// cleanCommand returns the command which removes the objects of a run; empty if only a recording could tell which.
func (r *run) cleanCommand(rec *runFile) string {
	if !rec.none {
		command := []string{"warp", "clean", process.ShellFile(rec.path)}
		if r.Plan.Target.Signature == "S3V2" || r.Target.WebToken != "" { // see keysStay
			command = append(command, r.hostFlag())
		}
		return process.ShellCommand(command...)
	}
	data := &r.Plan.Data
	if r.Verb != "" || data.Keys != "" {
		return ""
	}
	target := &r.Plan.Target
	command := []string{"warp", "clean", fmt.Sprintf("--seed=%d", r.Plan.Seed), r.hostFlag(), "--bucket=" + target.Bucket}
	if data.Prefix != "" {
		command = append(command, "--prefix="+data.Prefix)
	}
	if data.NoPrefix {
		command = append(command, "--noprefix")
	}
	return process.ShellCommand(command...)
}

// hostFlag names the hosts of the run.
func (r *run) hostFlag() string {
	return "--host=" + strings.Join(r.Plan.Target.HostURLs(), ",")
}
