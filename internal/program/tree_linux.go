package program

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes has the program killed should its keeper be.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes this process the parent of all orphans below it, whatever session or group they are in.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// signal sends a signal to all processes below this one.
func (k *keeper) signal(s syscall.Signal) {
	list := below(os.Getpid())
	if list == nil { // there is no /proc
		list = []int{-k.program} // its group
	}
	for _, pid := range list {
		_ = syscall.Kill(pid, s)
	}
}

// left reports whether a process is left although there is no child: orphans are children here.
func (k *keeper) left() bool { return false }

// below returns the processes below one, those near to it first.
func below(parent int) (list []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if of, ok := parentOf(pid); ok {
				children[of] = append(children[of], pid)
			}
		}
	}
	list = append(list, children[parent]...)
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}

// parentOf returns the parent of a process that has not ended.
func parentOf(pid int) (parent int, ok bool) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }()
	line := make([]byte, 512) // enough for the first fields
	n, err := f.Read(line)
	if err != nil {
		return 0, false
	}
	line = line[:n]
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:]) // the name before may hold anything
	if len(fields) < 2 || fields[0][0] == 'Z' {
		return 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
