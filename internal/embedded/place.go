package embedded

// defaultNeed is the room in bytes that is asked for where the caller does not know.
const defaultNeed = 1 << 30

// place is a directory that can take a server's data.
type place struct {
	parent string
	memory bool  // it lies in memory
	free   int64 // bytes that can be stored there; 0: unknown
}
