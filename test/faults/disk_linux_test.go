package faults

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"warp/pkg/op"
)

// TestDiskFull has the disk fill up in the middle of a run. The run goes on, and reports from its live statistics.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	switch err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=32k"); {
	case errors.Is(err, syscall.EPERM):
		t.Skip("mounting needs root")
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	l := &local{t: t, store: startStore(t), dir: t.TempDir()}
	l.process = start(t, "warp", l.dir, l.environment(), nil, "put", "--obj.size=1KiB", "--concurrent=3", "--bucket="+bucket,
		"--benchdata="+filepath.Join(disk, "run"), "--duration=1h")
	l.says(`^Warning: the recording \S+ cannot be written any more: no space left on device\. The run goes on; `)
	l.store.goesOn(op.Put, firstPuts)
	l.send(syscall.SIGINT)
	l.ends(130)
	report := l.out.String()
	if !strings.Contains(report, "Operation: PUT (") ||
		!regexp.MustCompile(`it ends at \d\d:\d\d:\d\d, \S+ after the first operation began, and lacks \d+ of \d+ operations`).MatchString(report) {
		t.Error("the report does not say what the recording lacks")
	}
	if n := strings.Count(l.err.String(), "no space left"); n != 2 {
		t.Errorf("the error was said %d times, want once when it happened and once at the end", n)
	}
	l.clean()
}
