package embedded

import (
	"path/filepath"
	"sync"

	"golang.org/x/sys/windows"
)

// claim marks dir as that of a living server until release is called or the process ends, however it does: the lock file is
// open without being shared.
func claim(dir string) (release func(), err error) {
	return openAlone(dir, windows.CREATE_NEW)
}

// abandoned reports whether dir belongs to a server that no longer lives.
func abandoned(dir string) bool {
	release, err := openAlone(dir, windows.OPEN_EXISTING)
	if err != nil {
		return false
	}
	release()
	return true
}

// openAlone opens the lock file of dir, which nobody else can do until it is released.
func openAlone(dir string, how uint32) (release func(), err error) {
	name, err := windows.UTF16PtrFromString(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { _ = windows.CloseHandle(h) }), nil
}
