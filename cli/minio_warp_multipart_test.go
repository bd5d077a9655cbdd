package cli

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/responder"
)

// TestObjectNameOfMinIOWarp: the object of multipart has the name that the user gives, whatever else names it; a later run may use the
// object that an earlier one kept, and no run uses another's.
//
// works: MinIO warp: `obj.name` names the object of `multipart`, in a file or as a flag
func TestObjectNameOfMinIOWarp(t *testing.T) {
	t.Parallel()
	store, err := responder.New(responder.Options{Keep: true, Buckets: []string{"foreign"}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	file := filepath.Join(t.TempDir(), "multipart.yml")
	text := "warp:\n  api: v1\n  benchmark: multipart\n  params:\n    duration: 2s\n    concurrent: 1\n    keep-data: True\n    obj: {name: 'data/{a}.bin', part-size: 5MiB, parts: 2}\n" +
		"  io: {no-prefix: True, prefix: p}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(bucket string, args ...string) (errs string, code int) {
		env, _ := testEnv(append(args, "--host="+store.URL(), "--access-key=a", "--secret-key=b", "--bucket="+bucket, "--stress", "--quiet")...)
		var stderr bytes.Buffer
		env.Stderr = &stderr
		code = Main(env)
		return stderr.String(), code
	}
	flags := []string{
		"multipart", "--obj.name=data/{a}.bin", "--prefix=p", "--noprefix", "--keep-data", "--parts=2", "--part.size=5MiB", "--ops=4",
	}
	fileArgs := []string{"run", file}
	for bucket, args := range map[string][]string{"flags": flags, "file": fileArgs} {
		for range 2 {
			if errs, code := run(bucket, args...); code != process.ExitOK {
				t.Fatalf("%v: exit code %d: %s", args, code, errs)
			}
			keys := slices.DeleteFunc(store.Keys(bucket), func(key string) bool { return strings.Contains(key, "claim.") })
			if !slices.Equal(keys, []string{"p/data/{a}.bin"}) {
				t.Errorf("%v made %q", args, keys)
			}
		}
	}

	put, err := http.NewRequest(http.MethodPut, store.URL()+"/foreign/p/data/%7Ba%7D.bin", strings.NewReader("theirs"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(put)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", res, err)
	}
	_ = res.Body.Close()
	for _, args := range [][]string{flags, fileArgs} {
		if errs, code := run("foreign", args...); code == process.ExitOK || !strings.Contains(errs, `p/data/{a}.bin`) {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	if n := store.Stored("foreign"); n != int64(len("theirs")) {
		t.Errorf("%d bytes in the bucket of another", n)
	}
}

// TestPartsOfMinIOWarp: without a number of parts and without a size, an object has as many parts as with MinIO warp, of any size.
func TestPartsOfMinIOWarp(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"multipart --compat=minio --part.size=10MiB":     "do: [{multipart: objects, part.size: 10MiB, parts: 200}]",
		"multipart-put --compat=minio":                   "do: [{multipart-put: objects, parts: 100}]",
		"multipart-put --compat=minio --parts=3":         "do: [{multipart-put: objects, parts: 3}]",
		"multipart-put --compat=minio --obj.size=20MiB":  "do: [{multipart-put: objects}]",
		"multipart-put --part.size=10MiB":                "do: [{multipart-put: objects, part.size: 10MiB}]",
		"multipart --obj.name=a{b} --noprefix --parts=2": `objects: {size: 1000MiB, keys: "a{{b}}", noprefix: false, overwrite-kept: true}`,
	} {
		stdout, stderr, code := withVariables(t, nil, append(strings.Fields(args), "--print-scenario", "--host=127.0.0.1:9000", "--access-key=a", "--secret-key=b")...)
		if code != process.ExitOK || !strings.Contains(stdout, want+"\n") {
			t.Errorf("%s: exit code %d: %s%s (want %s)", args, code, stdout, stderr, want)
		}
	}
	env, out := testEnv("run", "--explain", "-")
	env.Stdin = strings.NewReader("warp:\n  api: v1\n  benchmark: multipart\n  remote: {host: 'h:1'}\n  params: {obj: {part-size: 6MiB}}\n")
	if code := Main(env); code != process.ExitOK || !strings.Contains(out.String(), "uploads 1.17GiB") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
