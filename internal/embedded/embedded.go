// Package embedded runs a real S3 server next to the process: versitygw with its POSIX backend over a directory of its
// own, memory-backed where there is one. It checks signatures and knows versions, multipart uploads, object lock and
// checksums. It takes SSE-C and SSE-S3 headers without encrypting anything.
//
// The gateway changes the working directory of its process and allows one instance in it, so it runs as a child: this
// same binary, started again with a hidden argument. That also keeps its CPU time out of the client's. Every program
// and test binary that calls Start must therefore hand itself over first:
//
//	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, embedded.Child); ran {
//		os.Exit(code)
//	}
//
// The child's standard input is a pipe that the parent never writes to after its first line. However the parent ends,
// the system closes that pipe; the child sees the end of its input, removes its directory and exits. If the child is killed,
// the parent removes it; if both are, the next Start does. Signals that a terminal or an init system sends to everybody are the
// parent's to handle: the child stays until it is no longer needed.
package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Options says how to start a server. The zero value is right for a run that has no host of its own.
type Options struct {
	Addr   string // host:port to listen on; an empty host is every interface, port 0 a free one; empty: a free loopback port
	Dir    string // an existing directory that takes the data, in a directory of its own below it; empty: see Need
	Need   int64  // bytes that are going to be stored; memory is used if it can hold them. 0: 1 GiB
	Access string // access key; empty: random
	Secret string // secret key; empty: random

	sidecar bool // keep metadata in files next to the objects even where extended attributes would do
}

// ErrNotBuilt is that the binary has no server in it.
var ErrNotBuilt = errors.New("this warp was built without the embedded S3 server (-tags noembed); build it without that tag to have one")

// Start starts a server and returns when it answers. ctx bounds the start alone: a started server lives until Stop,
// so that an interrupted run can still clean up.
func Start(ctx context.Context, o Options) (*Server, error) {
	if !Built {
		return nil, ErrNotBuilt
	}
	parents := places()
	if o.Dir != "" {
		parents = []string{o.Dir}
	}
	removed := removeLeftovers(ctx, parents) // first: they take the room away
	p, err := choose(o.Dir, o.Need)
	if err != nil {
		return nil, err
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Access == "" {
		o.Access = rand.Text()[:20]
	}
	if o.Secret == "" {
		o.Secret = rand.Text() + rand.Text()[:14]
	}
	// The child makes the directory, its name is chosen here: so whichever of the two is left over can remove it.
	dir := filepath.Join(p.parent, dirPrefix+rand.Text())
	s := &Server{Access: o.Access, Secret: o.Secret, InMemory: p.memory, Free: p.free, Removed: removed, dir: dir, done: make(chan struct{})}
	ord := order{Addr: o.Addr, Dir: dir, Access: o.Access, Secret: o.Secret, Sidecar: o.sidecar}
	if err := s.start(ctx, ord); err != nil {
		return nil, err
	}
	return s, nil
}

// choose finds the place for the data.
func choose(dir string, need int64) (place, error) {
	if dir == "" {
		return bestPlace(need), nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	if st, err := os.Stat(abs); err != nil {
		return place{}, err
	} else if !st.IsDir() {
		return place{}, fmt.Errorf("%s is not a directory", dir)
	}
	return inspect(abs), nil
}

// defaultNeed is the room in bytes that is asked for where the caller does not know.
const defaultNeed = 1 << 30

// place is a directory that can take a server's data.
type place struct {
	parent string
	memory bool  // it lies in memory
	free   int64 // bytes that can be stored there; 0: unknown
}
