//go:build !noembed

package embedded

import (
	"os"
	"testing"
)

func TestBestPlace(t *testing.T) {
	if p := bestPlace(1 << 60); p.parent != os.TempDir() {
		t.Errorf("an exabyte goes to %s", p.parent)
	}
	p := bestPlace(1)
	if p.memory != (p.parent == sharedMemory) && inspect(os.TempDir()).memory == false {
		t.Errorf("a byte goes to %+v", p)
	}
	if p.memory && p.free > availableMemory() {
		t.Errorf("%d bytes are promised, which the machine does not have", p.free)
	}
	if p.free <= 0 {
		t.Errorf("no room in %+v", p)
	}
}

func TestInspect(t *testing.T) {
	if p := inspect("/proc"); p.memory {
		t.Error("/proc is taken for memory that can hold files")
	}
	if p := inspect("/does/not/exist"); p.memory || p.free != 0 {
		t.Errorf("a directory that is missing has room: %+v", p)
	}
}
