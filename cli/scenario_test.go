package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/script"
)

// command performs a benchmark command without what is around it, and returns what it prints.
func command(t *testing.T, info work.Info, action func(ctx context.Context, c *cli.Command, b *runs.Benchmark) error, args ...string) (string, error) {
	t.Helper()
	env, out := testEnv()
	b := runs.New(&env, info)
	c := b.Command()
	c.Action = func(ctx context.Context, c *cli.Command) error { return action(ctx, c, b) }
	c.OnUsageError, c.Writer, c.ErrWriter = usage.ParserError, out, out
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	err := c.Run(t.Context(), append([]string{info.Name}, args...))
	return out.String(), err
}

// planOf returns the plan that a command line makes, as JSON.
func planOf(t *testing.T, info work.Info, args ...string) (text string, err error) {
	_, err = command(t, info, func(ctx context.Context, c *cli.Command, b *runs.Benchmark) error {
		err := b.MakePlan(ctx, c.IsSet)
		text = planJSON(t, &b.Plan)
		return err
	}, args...)
	return text, err
}

// scenarioOf returns the scenario that a command line prints.
func scenarioOf(t *testing.T, info work.Info, args ...string) (string, error) {
	return command(t, info, func(ctx context.Context, c *cli.Command, b *runs.Benchmark) error {
		return scenarios.WriteScenario(ctx, b, c)
	}, args...)
}

// planJSON returns a plan without the id of its run, which is random.
func planJSON(t *testing.T, p *bench.Plan) string {
	t.Helper()
	plan := *p
	plan.RunID = ""
	text, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// resolve makes a plan of a scenario.
func resolve(t *testing.T, name, text string) (*script.Resolved, error) {
	t.Helper()
	env, _ := testEnv()
	f, err := script.Parse(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Resolve(scenarios.ScenarioOptions(t.Context(), &env, nil, scenarios.NewAccess(name, &scenarios.Allowance{}, nil, &env, runs.OpenTraces{})))
}

// samples are values of flags for which the usual ones of their type do not do.
var samples = map[string]string{
	"host": "127.0.0.1:9000", "obj.size": "2MiB", "range": "8B@end,64KiB..1MiB@random", "range-size": "64KiB", "access": "uniform", "rate": "100..200/5s", "arrivals": "poisson",
	"lookup": "path", "signature": "S3V4", "host-select": "roundrobin", "engine": "std", "local-addr": "127.0.0.1", "tls-min-version": "1.3",
	"checksum": "CRC32C", "payload": "unsigned", "acl": "private", "add-metadata": "a=b", "tag": "a=b", "ok": "404,503", "if-match": "current",
	"if-none-match": "current", "part.size": "5MiB", "mode": "governance", "obj.content": "zero", "sse-kms": "k", "ops": "1000", "bytes": "1GiB",
	"passes": "2", "think": "20ms", "expect": "true", "prefix": "p", "region": "eu", "access-key": "a", "secret-key": "b", "session-token": "c", "store": "s3", "sas-token": "sig=a",
	"token": "t", "gcs-api": "json", "gcs-upload": "resumable", "gcs-project": "p",
}

// TestScenarioOfFlags: what --print-scenario prints makes the same plan as the flags: for each parameter of each benchmark,
// and for each other flag of one of them.
func TestScenarioOfFlags(t *testing.T) {
	testkit.SkipSerial(t)
	for i, info := range work.Registry() {
		t.Run(info.Name, func(t *testing.T) {
			env, _ := testEnv()
			tried := 0
			for _, f := range runs.New(&env, info).Command().Flags {
				name := f.Names()[0]
				if !scenarios.InPlan(f) || i > 0 && scenarios.CategoryOf(f) != flags.CatWorkload || slices.Contains([]string{"sts-web-token", "credentials-file", "ca-file", "cert-file", "key-file"}, name) {
					continue
				}
				values := []string{"true", "3", "2s", "1.5"}
				if v, ok := samples[name]; ok {
					values = []string{v}
				}
				if slices.ContainsFunc(values, func(v string) bool { return samePlan(t, info, name, v) }) {
					tried++
				}
			}
			if i == 0 && tried < 40 {
				t.Errorf("only %d flags were tried", tried)
			}
		})
	}
}

// samePlan compares the plan of a flag with that of the scenario of the same flag. It reports whether the flag takes the value.
func samePlan(t *testing.T, info work.Info, flag, value string) bool {
	args := []string{"--host=127.0.0.1:9000", "--access-key=a", "--secret-key=b", "--seed=7", "--" + flag + "=" + value}
	want, err := planOf(t, info, args...)
	if err != nil {
		return false
	}
	text, err := scenarioOf(t, info, args...)
	if err != nil || strings.Contains(text, "secret") {
		t.Errorf("%v prints\n%s%v", args, text, err)
		return true
	}
	given := []scenarios.GivenFlag{scenarios.Given("access-key", "a"), scenarios.Given("secret-key", "b")}
	if flag == "session-token" {
		given = append(given, scenarios.Given(flag, value))
	}
	file, err := script.Parse("x", []byte(text))
	if err != nil {
		t.Errorf("%v prints\n%s%v", args, text, err)
		return true
	}
	env, _ := testEnv()
	r, err := file.Resolve(script.Options{New: func(op string) script.Command { return scenarios.NewPlanFlags(t.Context(), &env, op, given) }})
	if err != nil {
		t.Errorf("%v prints\n%s%v", args, text, err)
	} else if got := planJSON(t, r.Plan); got != want {
		t.Errorf("%v prints\n%s\nwhich gives %s\nwant %s", args, text, got, want)
	}
	return true
}

// TestMistakes: what is wrong with a file is said with its line and what to do.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		_, err = resolve(t, base, string(text))
		if err == nil {
			t.Errorf("%s: nothing is wrong with it", base)
			continue
		}
		all.WriteString(err.Error() + "\n\n")
	}
	testkit.Golden(t, "testdata/mistakes.txt", all.String())
}

// TestStart: the scenario that "warp script init" prints is valid, and in canonical form.
func TestStart(t *testing.T) {
	f, err := script.Parse("start", []byte(script.Start))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Format(); got != script.Start {
		t.Errorf("formatted:\n%s", got)
	}
	if _, err := resolve(t, "start", script.Start); err != nil {
		t.Error(err)
	}
}

// TestSchemaOfDocs: the schema in docs is the one that is printed.
func TestSchemaOfDocs(t *testing.T) {
	env, out := testEnv("script", "schema")
	if code := Main(env); code != process.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	testkit.Golden(t, "../docs/reference/warp-scenario.schema.json", out.String())
}

// TestScenarioOfSweep: the scenario that "warp sweep --print-scenario" prints makes the same plan and the same points.
func TestScenarioOfSweep(t *testing.T) {
	for _, args := range []string{
		"get --over=threads=1,2,4..16",
		"get --over=threads=1,2 --ops=100 --repeats=3 --shuffle",
		"stat --over=rate=100,200..500 --max-inflight=8 --duration=2s --warmup=0s",
		"get --over=obj.size=4KiB,64KiB..256KiB --over=threads=1,4 --objects=20 --shuffle",
		"put --over=obj.size=4KiB,8KiB --concurrent=3 --keep-data",
		"delete --over=batch=1,10..100 --objects=9000",
		"get --over=objects=10,20 --bytes=1MiB",
		"multipart-put --over=part.size=5MiB,10MiB --parts=2",
		"mixed --over=concurrent=1..4 --autoterm",
	} {
		words := strings.Fields(args)
		words = append(words, "--host=127.0.0.1:9000", "--access-key=a", "--secret-key=b", "--seed=7")
		info, _ := work.Lookup(words[0])
		sweep := func(print bool) (*sweepRun, string) {
			env, out := testEnv()
			s := newSweep(&env, info)
			c := s.command()
			c.Action = func(ctx context.Context, c *cli.Command) error {
				if print {
					return s.writeScenario(ctx, c)
				}
				return s.makePlan(ctx, c)
			}
			c.Writer, c.ErrWriter = out, out
			if err := c.Run(t.Context(), words); err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			return s, out.String()
		}
		want, _ := sweep(false)
		_, text := sweep(true)
		file, err := script.Parse("x", []byte(text))
		if err != nil {
			t.Fatalf("%s prints\n%s%v", args, text, err)
		}
		env, _ := testEnv()
		given := []scenarios.GivenFlag{scenarios.Given("access-key", "a"), scenarios.Given("secret-key", "b")}
		r, err := file.Resolve(script.Options{New: func(op string) script.Command { return scenarios.NewPlanFlags(t.Context(), &env, op, given) }})
		if err != nil {
			t.Fatalf("%s prints\n%s%v", args, text, err)
		}
		if got, want := planJSON(t, r.Plan), planJSON(t, &want.Plan); got != want {
			t.Errorf("%s prints\n%s\nwhich gives %s\nwant %s", args, text, got, want)
		}
		if !reflect.DeepEqual(r.Sweeps, want.Sweeps) {
			t.Errorf("%s prints\n%s\nwhose points are %v\nwant %v", args, text, r.Sweeps, want.Sweeps)
		}
		if again, err := script.Parse("y", []byte(file.Format())); err != nil || again.Format() != text {
			t.Errorf("%s is not in canonical form: %v\n%s", args, err, text)
		}
	}
}
