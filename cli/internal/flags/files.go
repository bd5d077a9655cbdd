package flags

import "warp/internal/input"

// Files opens the files that flags of a plan name.
type Files struct {
	Named map[string]bool                   // flags that a scenario or a recording sets; a person sets the others
	Read  func(name string) (string, error) // path of a file that the scenario may read
}

// Names reports whether a scenario or a recording sets a flag, and not a person.
func (f *Files) Names(flag string) bool { return f != nil && f.Named[flag] }

// Path returns the path of the file that a flag names. All files are allowed where f is nil.
func (f *Files) Path(flag, name string) (string, error) {
	if !f.Names(flag) {
		return name, nil
	}
	return f.Read(name)
}

// reader returns a function that reads the text files a flag names, up to a size.
func (f *Files) reader(flag string, limit int64) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path, err := f.Path(flag, name)
		if err != nil {
			return nil, err
		}
		return input.Read(path, limit)
	}
}

// readList reads a file that a person names.
func readList(name string) ([]byte, error) { return input.Read(name, input.List) }
