package load

import (
	"runtime"
	"sync"
)

// processors are those of Go's scheduler, one more for each loop: a loop keeps its own while it waits a short time, and everything else has
// as many as without it.
var processors struct {
	mu          sync.Mutex
	usual, more int
}

// addProcessors adds processors, or removes them again, and returns how many there are without those of loops.
func addProcessors(n int) (usual int) {
	p := &processors
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.more == 0 {
		p.usual = runtime.GOMAXPROCS(0)
	}
	if n != 0 {
		p.more += n
		runtime.GOMAXPROCS(p.usual + p.more)
	}
	return p.usual
}
