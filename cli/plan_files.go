package cli

import "warp/internal/input"

// files opens the files that flags of a plan name.
type files struct {
	named map[string]bool                   // flags that a scenario or a recording sets; a person sets the others
	read  func(name string) (string, error) // path of a file that the scenario may read
}

// names reports whether a scenario or a recording sets a flag, and not a person.
func (f *files) names(flag string) bool { return f != nil && f.named[flag] }

// path returns the path of the file that a flag names. All files are allowed where f is nil.
func (f *files) path(flag, name string) (string, error) {
	if !f.names(flag) {
		return name, nil
	}
	return f.read(name)
}

// reader returns a function that reads the text files a flag names, up to a size.
func (f *files) reader(flag string, most int64) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path, err := f.path(flag, name)
		if err != nil {
			return nil, err
		}
		return input.Read(path, most)
	}
}

// readList reads a file that a person names.
func readList(name string) ([]byte, error) { return input.Read(name, input.List) }
