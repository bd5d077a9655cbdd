// Package observe samples the resources of its own process while it loads a server, so that a run can say whether the
// client was the bottleneck: CPU time against what the machine and the cgroup allow, waiting for a CPU, garbage
// collection, network traffic against link speed, TCP retransmissions, and scheduling latency of goroutines.
//
// What a system does not report is left out, never reported as 0. Linux reports everything; other systems report CPU
// time, garbage collection, heap size and lateness.
package observe

import (
	"runtime"
	"sync"
	"time"

	"warp/internal/clock"
)

// Options configure an Observer. The zero value is what a run wants.
type Options struct {
	// Interval is the time between samples. 0 is one second.
	Interval time.Duration
	// Root is the directory that holds /proc and /sys, for tests. Empty means / on Linux, and no such files on
	// other systems.
	Root string
	// Embedded says that the process loads its own embedded server.
	Embedded bool
}

// Observer samples its own process. Its methods may be called concurrently.
type Observer struct {
	interval time.Duration
	embedded bool
	sources  []source
	last     time.Time // when the sources were last read; owned by the sampling goroutine
	stalls   stallDetector

	mu     sync.Mutex
	series series
	seen   bool // there is a sample

	stop sync.Once
	quit chan struct{}
	done chan struct{}
}

// source is one thing that is observed.
type source interface {
	// read adds to s what happened since the previous call. The first call adds nothing: counting starts there.
	read(s *Sample)
}

// Start begins sampling. Call Stop to end it.
func Start(o Options) *Observer {
	b := &Observer{
		interval: o.Interval,
		embedded: o.Embedded,
		sources:  sources(o.Root),
		last:     clock.Now(),
		stalls:   newStallDetector(),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	if b.interval <= 0 {
		b.interval = time.Second
	}
	for _, s := range b.sources {
		s.read(&Sample{})
	}
	go b.run()
	return b
}

func sources(root string) []source {
	all := []source{&cpuSource{}, &runtimeSource{}}
	if root == "" && runtime.GOOS != "linux" {
		return all
	}
	f := &files{root: root}
	return append(all, // the cgroup follows the CPU, whose share it computes
		newCgroupSource(f),
		&waitSource{files: f},
		&memorySource{files: f},
		newNetworkSource(f),
		&tcpSource{files: f},
	)
}

func (b *Observer) run() {
	defer close(b.done)
	tick, check := time.NewTicker(b.interval), time.NewTicker(stallCheckInterval)
	defer tick.Stop()
	defer check.Stop()
	for {
		select {
		case <-check.C:
			b.stalls.check()
		case <-tick.C:
			b.sample()
		case <-b.quit:
			b.sample()
			return
		}
	}
}

func (b *Observer) sample() {
	b.stalls.check()
	now := clock.Now()
	s := Sample{Start: b.last.UTC(), Seconds: now.Sub(b.last).Seconds(), Embedded: b.embedded}
	if s.Seconds <= 0 {
		return
	}
	for _, src := range b.sources {
		src.read(&s)
	}
	b.stalls.into(&s)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen && now.Sub(b.last) < b.interval/2 { // the last one; by itself it would have random peaks
		b.series.extend(s)
	} else {
		b.series.add(s)
		b.seen = true
	}
	b.last = now
}

// Stop ends sampling and waits for it. Samples remain available. Further calls do nothing.
func (b *Observer) Stop() {
	b.stop.Do(func() { close(b.quit) })
	<-b.done
}

// Samples returns all samples in order of time: one per interval for the first 900 (seriesLimit), then fewer and longer
// ones of equal length, so that there are never more.
func (b *Observer) Samples() []Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.series.all()
}

// Summary returns what was sampled between from and to. A zero time is no bound. A sample that straddles a bound
// belongs to the side of its middle; where that leaves no samples, all that overlap the window count.
func (b *Observer) Summary(from, to time.Time) Summary {
	return Summarize(b.Samples(), from, to)
}
