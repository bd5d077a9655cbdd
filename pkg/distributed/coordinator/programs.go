package coordinator

import (
	"context"
	"sync"

	"warp/pkg/bench"
)

// programs are the programs of the steps of a phase. They run on this machine. Clients reach the next barrier meanwhile; it is released
// when all programs have ended.
type programs struct {
	exec func(ctx context.Context, s *bench.Step) error
	wg   sync.WaitGroup

	mu      sync.Mutex
	running int
	cancel  context.CancelFunc
	err     error // of the first program that failed; it ends the run
}

// start starts the programs among the steps of a phase. If there are any, ended is called when all have ended.
func (p *programs) start(steps []bench.Step, ended func()) {
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel = cancel
	for i := range steps {
		s := &steps[i]
		if len(s.Exec) == 0 {
			continue
		}
		p.running++
		p.wg.Go(func() {
			if p.finished(p.exec(ctx, s)) {
				ended()
			}
		})
	}
	if p.running == 0 {
		cancel()
	}
}

// finished records the end of a program, and reports whether it was the last one. One that failed ends the others.
func (p *programs) finished(err error) (last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.err == nil {
		p.err = err
		p.cancel()
	}
	if p.running--; p.running > 0 {
		return false
	}
	p.cancel()
	return true
}

// end ends the programs that run.
func (p *programs) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running > 0 {
		p.cancel()
	}
}

// busy reports whether programs run.
func (p *programs) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running > 0
}

// failure is the error of the first program that failed.
func (p *programs) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
