package embedded

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
)

const (
	sharedMemory = "/dev/shm"
	tmpfsMagic   = 0x01021994
	ramfsMagic   = 0x858458f6
	accessWrite  = 2 // W_OK
)

// bestPlace is shared memory if it can hold need bytes, else the temporary directory.
func bestPlace(need int64) place {
	if need <= 0 {
		need = defaultNeed
	}
	if p := inspect(sharedMemory); p.memory && p.free >= need && syscall.Access(sharedMemory, accessWrite) == nil {
		return p
	}
	return inspect(os.TempDir())
}

// places are the directories that bestPlace chooses from.
func places() []string { return []string{sharedMemory, os.TempDir()} }

// inspect looks at the file system that holds dir.
func inspect(dir string) place {
	p := place{parent: dir}
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return p
	}
	p.free = int64(st.Bavail * uint64(st.Bsize))
	magic := uint32(st.Type)
	p.memory = magic == tmpfsMagic || magic == ramfsMagic
	if p.memory {
		// A memory file system may promise more than the machine can give. Half is left to the client, the server and others.
		p.free = min(p.free, availableMemory()/2)
	}
	return p
}

// availableMemory is how many bytes the kernel could give without swapping; 0 if it does not say.
func availableMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(s.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
