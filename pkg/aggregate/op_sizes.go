package aggregate

// OpSizes is the least and the greatest size of successful operations.
type OpSizes struct {
	MinObjects int   `json:"min_objects"`
	MaxObjects int   `json:"max_objects"`
	MinSize    int64 `json:"min_size"` // in bytes
	MaxSize    int64 `json:"max_size"`
}

// IncludeOperation includes an operation; first: it is the first one.
func (s *OpSizes) IncludeOperation(objects int, bytes int64, first bool) {
	s.Include(OpSizes{objects, objects, bytes, bytes}, first)
}

// Include includes other operations; first: there were none before.
func (s *OpSizes) Include(o OpSizes, first bool) {
	if first {
		*s = o
		return
	}
	s.MinObjects, s.MaxObjects = min(s.MinObjects, o.MinObjects), max(s.MaxObjects, o.MaxObjects)
	s.MinSize, s.MaxSize = min(s.MinSize, o.MinSize), max(s.MaxSize, o.MaxSize)
}
