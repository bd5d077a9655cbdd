package terminal

import (
	"errors"
	"os"
	"sync"
)

// errNoKeys says that single keys cannot be read here: no terminal, a process in the background, or a system on which
// it is not supported. A run then goes on without.
var errNoKeys = errors.New("cannot read single keys: not in the foreground of a terminal")

// KeyWatcher reads keys as they are pressed, without Enter and without showing them. Keys that send signals (Ctrl-C,
// Ctrl-Z) go on doing so. As long as it is open the terminal is in another mode: Close must be called on every way out,
// which means deferred, and before an exit that runs no deferred calls.
type KeyWatcher struct {
	keys  chan byte
	done  chan struct{}
	in    *keyboard
	once  sync.Once
	close error
}

// WatchKeys starts reading keys from in, provided that in and out, where the progress is shown, are terminals; else the
// error is errNoKeys. The guard, which may be nil, restores the terminal if this process is killed meanwhile.
func WatchKeys(in, out *os.File, g *Guard) (*KeyWatcher, error) {
	kb, err := openKeyboard(in, out, g)
	if err != nil {
		return nil, err
	}
	k := &KeyWatcher{keys: make(chan byte, 16), done: make(chan struct{}), in: kb}
	go k.watch()
	return k, nil
}

// Keys gives the keys; it is closed when no more will come. Keys without a reader are dropped.
func (k *KeyWatcher) Keys() <-chan byte { return k.keys }

// Close ends the reading and restores the mode of the terminal. It may be called again.
func (k *KeyWatcher) Close() error {
	k.once.Do(func() {
		k.in.wake()
		<-k.done
		k.close = k.in.restore()
	})
	return k.close
}

func (k *KeyWatcher) watch() {
	defer close(k.done)
	defer close(k.keys)
	for {
		key, ok := k.in.read()
		if !ok {
			return
		}
		select {
		case k.keys <- key:
		default:
		}
	}
}
