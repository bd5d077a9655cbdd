package cli

import (
	"errors"
	"fmt"
	"strings"

	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
)

// howToCleanAll returns an error that names the command which removes what the clients of a run left; nil if nothing is left.
func howToCleanAll(r *coordinator.Result, path string, merged bool) error {
	switch {
	case !r.Left:
		return nil
	case merged:
		return errors.New("to remove what is left: " + shellCommand("warp", "clean", shellFile(path)))
	}
	return errors.New("to remove what is left: warp clean, with the recording of each client")
}

// howToClean returns an error that names the command which removes what a run could not; nil if nothing is left.
func (b *benchmark) howToClean(rec *runFile, err error) error {
	if !errors.As(err, new(*bench.CleanupError)) || b.embedded != nil {
		return nil
	}
	if !rec.none {
		rec.keep = true
		command := []string{"warp", "clean", shellFile(rec.path)}
		if b.plan.Target.Signature == "S3V2" || b.target.webToken != "" { // see keysStay
			command = append(command, b.hostFlag())
		}
		return errors.New("to remove what is left: " + shellCommand(command...))
	}
	data := &b.plan.Data
	if b.verb != "" || data.Keys != "" {
		return nil
	}
	target := &b.plan.Target
	command := []string{"warp", "clean", fmt.Sprintf("--seed=%d", b.plan.Seed), b.hostFlag(), "--bucket=" + target.Bucket}
	if data.Prefix != "" {
		command = append(command, "--prefix="+data.Prefix)
	}
	if data.NoPrefix {
		command = append(command, "--noprefix")
	}
	return errors.New("to remove what is left: " + shellCommand(command...))
}

// hostFlag names the hosts of the run.
func (b *benchmark) hostFlag() string {
	return "--host=" + strings.Join(b.plan.Target.HostURLs(), ",")
}
