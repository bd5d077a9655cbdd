package dataset

import (
	"sync"
)

// texts keeps strings of objects that do not follow from their indices, such as ETags. A nil *texts keeps nothing. It is safe for
// concurrent use.
type texts struct {
	mu sync.RWMutex
	of map[uint64]string
}

func (t *texts) get(i uint64) string {
	if t == nil {
		return ""
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.of[i]
}

func (t *texts) set(i uint64, text string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[uint64]string{}
	}
	t.of[i] = text
}

func (t *texts) remove(i uint64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, i)
}
