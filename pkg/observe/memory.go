package observe

import (
	"bytes"
	"math"
	"os"
)

// memorySource adds what the process holds in RAM.
type memorySource struct{ files *files }

func (m *memorySource) read(s *Sample) {
	if s.Memory == nil {
		return
	}
	b, err := m.files.read("/proc/self/statm")
	if err != nil {
		return
	}
	s.Memory.ResidentBytes = parseStatm(b, os.Getpagesize())
}

// parseStatm reads /proc/self/statm, in pages: the bytes in RAM; 0 if they are not known.
func parseStatm(b []byte, pageBytes int) int64 {
	field := bytes.Fields(b)
	if len(field) < 2 {
		return 0
	}
	pages, ok := parseNumber(field[1])
	if !ok || pages > uint64(math.MaxInt64/pageBytes) {
		return 0
	}
	return int64(pages) * int64(pageBytes)
}
