package scenarios

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/usage"
	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// job is what a file of another tool asks for in addition to its scenario, as far as the command line leaves it to the file.
type job struct {
	*draft.Job
	flags   []draft.Flag
	outputs []draft.Output
}

// keyFlags are the flags about credentials. If one is given, none of the file's credentials count.
var keyFlags = append([]string{"credentials-file", "signature"}, secret.Credentials...)

// job returns what is left of a job. The command line has precedence.
func (r *Run) job(asked *draft.Job, uses *Access) (job, error) {
	j := job{Job: asked}
	if !asked.Foreign() {
		return j, nil
	}
	uses.foreign()
	typed := func(name string) bool { return r.typed[name] }
	var errs []error
	for _, f := range asked.Flags {
		if r.typed[f.Name] || f.Secret && slices.ContainsFunc(keyFlags, typed) {
			continue
		}
		known := uses.variable
		if f.Secret {
			known = uses.given
		}
		var err error
		if f.Value, err = j.Expand(f.At, f.Value, known); err == nil {
			j.flags = append(j.flags, f)
		} else if !f.Secret { // else the keys are looked for where they always are
			errs = append(errs, err)
		}
	}
	if j.sets("access-key") && !j.sets("session-token") { // one of the environment belongs to other keys
		j.flags = append(j.flags, draft.Flag{Name: "session-token", Secret: true})
	}
	for _, o := range asked.Outputs {
		var err error
		if o.Path, err = j.Expand(o.At, o.Path, uses.variable); err == nil {
			if _, err = uses.write(o.Path); err != nil {
				err = j.Error(o.At, err)
			}
		}
		j.outputs, errs = append(j.outputs, o), append(errs, err)
	}
	return j, errors.Join(errs...)
}

// sets reports whether the file sets a flag.
func (j job) sets(name string) bool {
	return slices.ContainsFunc(j.flags, func(f draft.Flag) bool { return f.Name == name })
}

// planFlags returns the flags as options of a scenario, which takes those that a plan is made of.
func (j job) planFlags() (list []script.Param) {
	for _, f := range j.flags {
		list = append(list, script.Param{
			Name:   f.Name,
			Values: []script.Value{script.Text(f.Value).At(f.At)},
			Note:   script.Note{Pos: f.At},
		})
	}
	return list
}

// RunFlags are the flags of a benchmark about the run, which no plan has.
func RunFlags(b *runs.Benchmark) (list []cli.Flag) {
	for _, f := range b.Load.Flags() {
		if f.Names()[0] == "syncstart" {
			list = append(list, f)
		}
	}
	return slices.Concat(list, b.Out.Flags(), b.Analyze.Flags(), b.Gate.Flags(), b.HTTP.Flags(), b.Push.Flags(b.Env), b.Clients.Flags())
}

// withFlags returns a copy of the benchmark with the flags of a file that are about the run; after an error, with those that are right.
// The copy has flags of its own: runs of a shell script may be in parallel, and one's flags are not another's.
func (r *Run) withFlags(j job) (*runs.Benchmark, error) {
	b := *r.Benchmark
	own := RunFlags(&b)
	var errs []error
	for _, f := range j.flags {
		if instead, refused := usage.Instead("run", f.Name); refused {
			errs = append(errs, j.Error(f.At, errors.New(instead)))
			continue
		}
		flag := flags.Named(own, f.Name)
		switch {
		case flag != nil && !InPlan(flag):
			if err := setFlag(flag, f.Value); err != nil {
				errs = append(errs, j.Error(f.At, err))
			}
		case flags.Named(r.all, f.Name) == nil:
			errs = append(errs, j.Error(f.At, errors.New("warp run has no such option")))
		}
	}
	return &b, errors.Join(errs...)
}

// checkFlags checks the flags of a file that are about the run, as far as that is possible without one.
func (r *Run) checkFlags(s *Scenario) error {
	if len(s.job.flags) == 0 {
		return nil
	}
	b, err := r.withFlags(s.job)
	b.Plan = *s.Plan
	return process.UsageErrors(err, s.job.located(b.CheckRun()))
}

// located says of errors of flags that the file sets where it does.
func (j job) located(err error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range list.Unwrap() {
			errs = append(errs, j.located(e))
		}
		return errors.Join(errs...)
	}
	var o *option.Error
	if errors.As(err, &o) {
		for _, f := range j.flags {
			if slices.Contains(o.Names, f.Name) {
				return j.Error(f.At, o.Err)
			}
		}
	}
	return err
}
