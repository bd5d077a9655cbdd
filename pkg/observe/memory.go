package observe

// GC is the garbage collection of the process.
type GC struct {
	Cycles int64 `json:"cycles"`
	// PauseMillis is the total time that the collector stopped the process, MaxPauseMillis the longest of one cycle.
	PauseMillis    float64 `json:"pause_ms"`
	MaxPauseMillis float64 `json:"max_pause_ms"`
	// CPUPercent is the CPU time of the collector, as a share of GOMAXPROCS CPUs. It includes time on otherwise idle
	// CPUs.
	CPUPercent float64 `json:"cpu_percent"`
}

func (g *GC) add(h *GC, w weights) {
	g.Cycles += h.Cycles
	g.PauseMillis += h.PauseMillis
	g.MaxPauseMillis = max(g.MaxPauseMillis, h.MaxPauseMillis)
	g.CPUPercent = w.mean(g.CPUPercent, h.CPUPercent)
}

// share returns the share of operations of a length, in ms, that a pause met: those in flight when it began, or begun in it.
func (g *GC) share(seconds, length float64) float64 {
	return (g.PauseMillis + float64(g.Cycles)*length) / (1000 * seconds)
}

// Memory is at the end of the interval; the maximum in merged samples.
type Memory struct {
	HeapBytes     int64 `json:"heap_bytes"`               // objects on the heap, including garbage not yet collected
	ResidentBytes int64 `json:"resident_bytes,omitempty"` // resident set size; 0 if unknown
}

func (m *Memory) add(n *Memory) {
	m.HeapBytes = max(m.HeapBytes, n.HeapBytes)
	m.ResidentBytes = max(m.ResidentBytes, n.ResidentBytes)
}
