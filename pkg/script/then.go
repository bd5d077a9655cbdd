package script

// following returns the operations that follow others in the same turn.
func (t *tasks) following(ph *Phase, path string) (list []task) {
	for i := range ph.Do {
		first, at := &ph.Do[i], indexed(path+".do", i)
		if !first.Count.IsZero() {
			t.add(first.Count.Pos, at+".count", "only for operations that follow others (want it within then)")
		}
		for k := range first.Then {
			if next, ok := t.followingOne(ph, first, &first.Then[k], indexed(at+".then", k)); ok {
				next.after = i + 1
				list = append(list, next)
			}
		}
	}
	return list
}

// followingOne returns an operation that follows another one.
func (t *tasks) followingOne(ph *Phase, first, do *Do, path string) (out task, ok bool) {
	switch {
	case !do.Weight.IsZero():
		t.add(do.Weight.Pos, path+".weight", "an operation that follows another one has no weight")
		return out, false
	case len(do.Then) > 0:
		t.add(do.Then[0].Pos, path+".then", "not within then (want one list, in order)")
		return out, false
	}
	next := *do
	if next.Set.Text == same {
		next.Set.Text = first.Set.Text
		if next.addsObjects() {
			next.Overwrite = Value{Text: "true", Note: next.Set.Note}
		}
	}
	if out, ok = t.task(ph, &next, path, ""); !ok {
		return out, false
	}
	out.same, out.count = do.Set.Text == same, 0
	if !do.Count.IsZero() {
		n, valid := t.count(do.Count, path+".count")
		if out.count = int(n); valid && (n < 1 || n > 1000) {
			t.add(do.Count.Pos, path+".count", "invalid value %d (want 1 to 1000)", n)
		}
	}
	return out, true
}
