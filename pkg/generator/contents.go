package generator

import (
	"path/filepath"

	"warp/internal/option"
)

// NewData returns the contents of the objects of a data set. Clients whose objects have different seeds have shared in common.
func (s *Spec) NewData(seed, shared uint64) (*Data, error) {
	c, err := parseContents(s.Generator)
	switch {
	case err != nil:
		return nil, err
	case c.zero:
		return &Data{zero: true}, nil
	case c.path != "":
		ring, err := s.Source.read(c.path)
		if err != nil {
			return nil, option.Wrap("obj.content", err)
		}
		return &Data{ring: ring, start: Mix(seed, streamContent)}, nil
	}
	d := newRandom(seed)
	if !c.random() {
		d.mixture = newMixture(c, shared)
	}
	return d, nil
}

// Plain reports whether contents neither compress nor repeat.
func (s *Spec) Plain() bool {
	c, err := parseContents(s.Generator)
	return err == nil && c.random()
}

// SetContents sets the contents from one of contentForms, and reads the file or directory that it names, at the path that locate
// returns; nil stands for the path itself.
func (s *Spec) SetContents(text string, locate func(name string) (path string, err error)) error {
	c, err := parseContents(text)
	if err != nil {
		return err
	}
	s.Generator, s.Source = text, Source{}
	if c.path == "" {
		return nil
	}
	path := c.path
	if locate != nil {
		path, err = locate(path)
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return option.Wrap("obj.content", err)
	}
	s.Generator = "file(" + path + ")"
	files, size, err := sourceFiles(path)
	if err != nil {
		return err
	}
	data, sum, err := readFiles(files, size)
	if err != nil {
		return err
	}
	s.Source = Source{Bytes: int64(len(data)), SHA256: sum}
	sources.put(sum, &data)
	return nil
}
