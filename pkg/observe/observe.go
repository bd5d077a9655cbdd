// Package observe lets a process watch itself while it loads a server, so that a run can say whether the client was the
// limit: processor time against what the machine and the cgroup allow, waiting for a processor, garbage collection,
// network against the speed of the link, TCP retransmissions, and how late goroutines run.
//
// Whatever a system does not tell is left out, never reported as 0. On Linux that is little; elsewhere there is processor
// time, garbage collection, memory of the heap and lateness.
package observe

import (
	"runtime"
	"sync"
	"time"

	"warp/internal/clock"
)

// Options say how to observe. The zero value is what a run wants.
type Options struct {
	// Interval is the time between samples. 0 is one second.
	Interval time.Duration
	// Root is where the trees of the system start, below which /proc and /sys are found. Empty is /, and nothing on
	// systems other than Linux.
	Root string
}

// Observer samples the process it is in. Its methods may be called from several goroutines.
type Observer struct {
	interval time.Duration
	sources  []source
	last     time.Time // when the sources were read last; of the goroutine that samples
	stalls   stallDetector

	mu     sync.Mutex
	series series
	latest Sample
	seen   bool // there is a latest

	stop sync.Once
	quit chan struct{}
	done chan struct{}
}

// source is one thing that is watched.
type source interface {
	// read adds to s what happened since the call before. The first call adds nothing: it is where counting starts.
	read(s *Sample)
}

// Start begins to sample. Call Stop to end it.
func Start(o Options) *Observer {
	b := &Observer{
		interval: o.Interval,
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
	return append(all, // the cgroup comes after the processor time, of which it takes the share
		newCgroupSource(f),
		&waitSource{files: f},
		&memorySource{files: f},
		newNetworkSource(f),
		&tcpSource{files: f},
	)
}

func (b *Observer) run() {
	defer close(b.done)
	tick, look := time.NewTicker(b.interval), time.NewTicker(pulse)
	defer tick.Stop()
	defer look.Stop()
	for {
		select {
		case <-look.C:
			b.stalls.look()
		case <-tick.C:
			b.sample()
		case <-b.quit:
			b.stalls.look()
			// A last piece that is too short tells nothing, and its peaks would be chance.
			if clock.Now().Sub(b.last) >= b.interval/2 || !b.sampled() {
				b.sample()
			}
			return
		}
	}
}

func (b *Observer) sample() {
	b.stalls.look()
	now := clock.Now()
	s := Sample{Start: b.last.UTC(), Seconds: now.Sub(b.last).Seconds()}
	if s.Seconds <= 0 {
		return
	}
	for _, src := range b.sources {
		src.read(&s)
	}
	b.stalls.into(&s)
	b.last = now
	b.mu.Lock()
	defer b.mu.Unlock()
	b.series.add(s)
	b.latest, b.seen = s, true
}

func (b *Observer) sampled() bool {
	_, ok := b.Latest()
	return ok
}

// Stop ends sampling and waits until it has ended. What was sampled stays. Further calls do nothing.
func (b *Observer) Stop() {
	b.stop.Do(func() { close(b.quit) })
	<-b.done
}

// Latest returns the newest sample; false if there is none yet.
func (b *Observer) Latest() (Sample, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.latest, b.seen
}

// Samples returns all samples in order of time: one per interval for the first 900 (seriesLimit), and from then on
// fewer and longer ones of equal length, so that there are never more.
func (b *Observer) Samples() []Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.series.all()
}

// Summary returns what was sampled between from and to. A zero time is no bound. A sample that lies partly within belongs
// to it if its middle does; where that leaves none, all that touch the window do.
func (b *Observer) Summary(from, to time.Time) Summary {
	return Summarize(b.Samples(), from, to)
}
