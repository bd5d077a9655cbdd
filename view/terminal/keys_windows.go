package terminal

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// readConsoleInput takes events off a console: the only way to read a key without being stuck in the reading, since a
// console is awake for events that are no keys, too.
var readConsoleInput = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReadConsoleInputW")

// keyEvent is the type of an inputRecord for a key.
const keyEvent = 1

// inputRecord is INPUT_RECORD with the fields of KEY_EVENT_RECORD.
type inputRecord struct {
	eventType   uint16
	_           uint16
	keyDown     int32
	repeat      uint16
	virtualKey  uint16
	virtualScan uint16
	char        uint16
	controlKeys uint32
}

// keyboard is a console that hands out keys one by one. The event wakes a reader that waits for one.
type keyboard struct {
	console windows.Handle
	saved   uint32
	closing windows.Handle
	release func() // tells the guard that the mode is what it was
}

func openKeyboard(in, out *os.File, g *Guard) (*keyboard, error) {
	k := &keyboard{console: windows.Handle(in.Fd())}
	var mode uint32
	if windows.GetConsoleMode(k.console, &k.saved) != nil || windows.GetConsoleMode(windows.Handle(out.Fd()), &mode) != nil {
		return nil, errNoKeys
	}
	if err := readConsoleInput.Find(); err != nil {
		return nil, errNoKeys
	}
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, fmt.Errorf("read single keys: %w", err)
	}
	k.closing = event
	// Processed input stays, and with it Ctrl-C.
	mode = k.saved &^ (windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT)
	was := terminalMode{Input: k.saved}
	_ = windows.GetConsoleMode(windows.Handle(out.Fd()), &was.Output)
	k.release = g.hold(change{Mode: &modeChange{was, keysMode(mode)}})
	if err := windows.SetConsoleMode(k.console, mode); err != nil {
		k.release()
		windows.CloseHandle(event)
		return nil, fmt.Errorf("read single keys: change the console's mode: %w", err)
	}
	return k, nil
}

// read waits for a key; not ok after wake, or when the console is gone.
func (k *keyboard) read() (key byte, ok bool) {
	for {
		which, err := windows.WaitForMultipleObjects([]windows.Handle{k.closing, k.console}, false, windows.INFINITE)
		if err != nil || which != windows.WAIT_OBJECT_0+1 {
			return 0, false
		}
		var rec inputRecord
		var n uint32
		done, _, _ := readConsoleInput.Call(uintptr(k.console), uintptr(unsafe.Pointer(&rec)), 1, uintptr(unsafe.Pointer(&n)))
		if done == 0 {
			return 0, false
		}
		if n == 1 && rec.eventType == keyEvent && rec.keyDown != 0 && rec.char > 0 && rec.char < 0x80 {
			return byte(rec.char), true
		}
	}
}

func (k *keyboard) wake() { windows.SetEvent(k.closing) }

// restore puts the console's mode back.
func (k *keyboard) restore() error {
	defer k.release()
	windows.CloseHandle(k.closing)
	if err := windows.SetConsoleMode(k.console, k.saved); err != nil {
		return fmt.Errorf("put the console back into its mode: %w", err)
	}
	return nil
}

// Foreground reports whether this process may read keys from a terminal.
func Foreground(*os.File) bool { return true }
