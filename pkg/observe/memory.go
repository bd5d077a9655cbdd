package observe

import (
	"bytes"
	"math"
	"os"
)

// memorySource adds the resident memory of the process.
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

// parseStatm parses /proc/self/statm, in pages: the resident bytes; 0 if unknown.
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
