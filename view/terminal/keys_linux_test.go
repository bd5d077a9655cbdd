package terminal

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"warp/internal/testkit"
)

func TestKeysAreReadWithoutEnter(t *testing.T) {
	keyboard, terminal := testkit.Terminal(t)
	before := testkit.Mode(t, terminal)
	k, err := WatchKeys(terminal, terminal, nil)
	if err != nil {
		t.Fatal(err)
	}
	mode := testkit.Mode(t, terminal)
	if mode.Lflag&unix.ICANON != 0 || mode.Lflag&unix.ECHO != 0 {
		t.Error("the terminal still waits for Enter, or shows keys")
	}
	if mode.Lflag&unix.ISIG == 0 {
		t.Error("Ctrl-C no longer sends a signal")
	}
	for _, want := range []byte("xq") {
		if _, err := keyboard.Write([]byte{want}); err != nil {
			t.Fatal(err)
		}
		if got := <-k.Keys(); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	for range 2 {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, open := <-k.Keys(); open {
		t.Error("a key after Close")
	}
	if after := testkit.Mode(t, terminal); after != before {
		t.Errorf("the mode is %+v, was %+v", after, before)
	}
}

func TestKeysThatNobodyTakesAreDropped(t *testing.T) {
	keyboard, terminal := testkit.Terminal(t)
	k, err := WatchKeys(terminal, terminal, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyboard.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil { // must not hang
		t.Error(err)
	}
}

func TestKeysEndWithTheTerminal(t *testing.T) {
	keyboard, terminal := testkit.Terminal(t)
	k, err := WatchKeys(terminal, terminal, nil)
	if err != nil {
		t.Fatal(err)
	}
	keyboard.Close() // hangs up
	if _, open := <-k.Keys(); open {
		t.Error("a key from a terminal that is gone")
	}
	_ = k.Close() // the mode of a terminal that is gone cannot be put back
}

func TestKeysNeedTerminals(t *testing.T) {
	_, terminal := testkit.Terminal(t)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before := testkit.Mode(t, terminal)
	for _, pair := range [][2]*os.File{{file, terminal}, {terminal, file}, {file, file}} {
		if _, err := WatchKeys(pair[0], pair[1], nil); !errors.Is(err, errNoKeys) {
			t.Errorf("error is %v", err)
		}
	}
	if testkit.Mode(t, terminal) != before {
		t.Error("the mode was changed nonetheless")
	}
}
