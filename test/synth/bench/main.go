//go:build unix

// Bench measures how fast a warp binary analyzes recordings of 2 and of 20 million operations, in how much memory, and how
// long that is against decompressing the files and counting their lines:
//
//	go build -o warp . && go run ./test/synth/bench -warp ./warp
//
// What is analyzed is listed in cases.go. Both programs take turns, and the best of several runs of each counts: whatever
// else the machine does can only make them longer.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"warp/internal/clock"
)

func main() {
	warp := flag.String("warp", "./warp", "the binary to measure")
	sizes := flag.String("ops", "2000000,20000000", "operations of the recordings")
	dir := flag.String("dir", "", "where to put recordings (default: a temporary directory, removed at the end)")
	runs := flag.Int("runs", 3, "runs; the best counts")
	only := flag.String("case", "", "only cases whose name contains this")
	child := flag.String("write", "",
		"write recording number -file of -case, of -ops operations, here; bench does that in a process of its own")
	file := flag.Int("file", 0, "see -write")
	flag.Parse()
	err := error(nil)
	if *child != "" {
		err = write(*child, *only, *sizes, *file)
	} else {
		err = bench(*warp, *sizes, *dir, *only, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(warp, sizes, dir, only string, runs int) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "warp-bench-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	fmt.Printf("%-10s %-24s %8s %12s %9s %7s %12s %10s %8s\n",
		"operations", "recording", "size", "zstdcat|wc", "analyze", "ratio", "operations/s", "processor", "memory")
	for _, size := range strings.Split(sizes, ",") {
		ops, err := strconv.Atoi(size)
		if err != nil {
			return fmt.Errorf("-ops: %w", err)
		}
		for _, c := range cases {
			if !strings.Contains(c.name, only) {
				continue
			}
			if err := c.run(warp, dir, ops, runs); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return nil
}

// run measures one case and prints a line of the table.
func (c benchCase) run(warp, dir string, ops, runs int) (err error) {
	var paths []string
	var size int64
	defer func() {
		for _, path := range paths {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for i := range c.files {
		path := filepath.Join(dir, fmt.Sprintf("%d.csv.zst", i))
		// In another process: the peak memory of a process counts from that of the one that started it.
		self := exec.Command(os.Args[0], "-write", path, "-case", c.name, "-ops", strconv.Itoa(ops/c.files), "-file", strconv.Itoa(i))
		self.Stderr = os.Stderr
		if err := self.Run(); err != nil {
			return err
		}
		paths = append(paths, path)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		size += info.Size()
	}
	count, run, err := c.compare(warp, paths, runs)
	if err != nil {
		return err
	}
	fmt.Printf("%-10d %-24s %4d MiB %11.2fs %8.2fs %6.1fx %10.2f M %9.2fs %4d MiB\n", ops, c.name, size>>20, count.took.Seconds(),
		run.took.Seconds(), run.took.Seconds()/count.took.Seconds(), float64(ops)/1e6/run.took.Seconds(), run.cpu.Seconds(), run.memory>>20)
	return nil
}

// compare runs both programs by turns.
func (c benchCase) compare(warp string, paths []string, runs int) (count, run usage, err error) {
	for range runs {
		if err := count.measure("sh", append([]string{"-c", `zstdcat "$@" | wc -l`, "sh"}, paths...)...); err != nil {
			return count, run, err
		}
		args := append([]string{"analyze"}, c.flags...)
		if err := run.measure(warp, append(args, paths...)...); err != nil {
			return count, run, err
		}
	}
	return count, run, nil
}

// usage is what the runs of a program needed.
type usage struct {
	runs   int
	took   time.Duration // of the shortest
	cpu    time.Duration // processor time of that which needed least, of all cores
	memory int64         // peak of that which needed most, in bytes
}

// measure runs a program once more.
func (u *usage) measure(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	start := clock.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	took, cpu := clock.Now().Sub(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if u.runs == 0 || took < u.took {
		u.took = took
	}
	if u.runs == 0 || cpu < u.cpu {
		u.cpu = cpu
	}
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.memory = max(u.memory, maxRSS(r))
	}
	u.runs++
	return nil
}

// maxRSS is the peak memory in bytes; macOS counts bytes, the others KiB.
func maxRSS(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
