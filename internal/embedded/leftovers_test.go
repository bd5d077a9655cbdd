//go:build unix && !noembed

package embedded_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"warp/internal/embedded"
)

// TestLeftovers kills parents together with their servers. The next start removes what they left, and nothing else.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	live := start(t, embedded.Options{Dir: dir})
	one, _, first := startParent(t, parentDir+"="+dir)
	two, _, second := startParent(t, parentDir+"="+dir)
	killBoth(t, one, first)
	killBoth(t, two, second)
	dead := []string{first.Dir, second.Dir}
	big := filepath.Join(dead[0], "data", "bucket", "object")
	if err := os.Mkdir(filepath.Dir(big), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(big, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"warp-server-unlocked", "something"} { // whose owners may live: an earlier version knew no locks
		if err := os.MkdirAll(filepath.Join(dir, other, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	next := start(t, embedded.Options{Dir: dir})
	removed := map[string]int64{}
	for _, l := range next.Removed {
		removed[l.Dir] = l.Bytes
	}
	if len(removed) != 2 || removed[dead[0]] != 1<<20 || removed[dead[1]] != 0 {
		t.Errorf("removed %v, want %v", removed, dead)
	}
	for _, path := range dead {
		if !gone(path) {
			t.Errorf("%s was left", path)
		}
	}
	for _, path := range []string{live.Dir(), next.Dir(), filepath.Join(dir, "warp-server-unlocked"), filepath.Join(dir, "something")} {
		if gone(filepath.Join(path, "data")) {
			t.Errorf("%s was removed", path)
		}
	}
	if again := start(t, embedded.Options{Dir: dir}); len(again.Removed) > 0 {
		t.Errorf("removed %v a second time", again.Removed)
	}
}

// killBoth kills a program and its server, so that neither can remove the server's directory.
func killBoth(t *testing.T, cmd *exec.Cmd, rep report) {
	t.Helper()
	// The program must not see its server end. The other way round the kernel would wake the server when its parent is gone.
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "program stopped", func() bool { return state(cmd.Process.Pid, "T") })
	if err := syscall.Kill(rep.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "server ended", func() bool { return dead(rep.Pid) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if gone(rep.Dir) {
		t.Fatal("nothing is left, so the test tests nothing")
	}
}

// TestAbandoned: nothing but a directory whose lock file can be locked counts as left.
func TestAbandoned(t *testing.T) {
	for name, c := range map[string]struct {
		lock func(path string) error
		want bool
	}{
		"unlocked": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, true},
		"locked": {func(path string) error {
			release, err := embedded.Claim(filepath.Dir(path))
			if err == nil {
				t.Cleanup(release)
			}
			return err
		}, false},
		"released": {func(path string) error {
			release, err := embedded.Claim(filepath.Dir(path))
			if err == nil {
				release()
			}
			return err
		}, true},
		"none":      {func(string) error { return nil }, false},
		"being set": {func(path string) error { return os.WriteFile(path+".new", nil, 0o600) }, false},
		"link":      {func(path string) error { return os.Symlink(os.Args[0], path) }, false},
		"directory": {func(path string) error { return os.Mkdir(path, 0o700) }, false},
	} {
		dir := t.TempDir()
		if err := c.lock(filepath.Join(dir, "lock")); err != nil {
			t.Fatal(err)
		}
		if got := embedded.Abandoned(dir); got != c.want {
			t.Errorf("%s: abandoned %v", name, got)
		}
	}
	pipe := filepath.Join(t.TempDir(), "lock")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	embedded.Abandoned(filepath.Dir(pipe)) // must not wait for a writer
}
