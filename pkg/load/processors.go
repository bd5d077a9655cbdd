package load

import (
	"runtime"
	"sync"
)

// processors counts processors of Go's scheduler. It has one more for each loop, which keeps its own during short waits, and as many for
// everything else as without loops.
var processors struct {
	mu          sync.Mutex
	usual, more int
}

// addProcessors adds processors, or removes them again, and returns how many there are without processors for loops.
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
