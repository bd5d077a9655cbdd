package script

// same stands for the data set of an operation that follows another one and uses the same object.
const same = "same"

// following returns the operations that follow those of a phase in the same turn.
func following(r *resolver, ph *Phase, path string) (list []task) {
	for i := range ph.Do {
		first, at := &ph.Do[i], indexed(path+".do", i)
		if !first.Count.IsZero() {
			r.add(first.Count.Pos, at+".count", "only for operations that follow others (want it within then)")
		}
		for k := range first.Then {
			if t, ok := followingOne(r, ph, first, &first.Then[k], indexed(at+".then", k)); ok {
				t.after = i + 1
				list = append(list, t)
			}
		}
	}
	return list
}

// followingOne returns an operation that follows another one.
func followingOne(r *resolver, ph *Phase, first, do *Do, path string) (t task, ok bool) {
	switch {
	case !do.Weight.IsZero():
		r.add(do.Weight.Pos, path+".weight", "an operation that follows another one has no weight")
		return t, false
	case len(do.Then) > 0:
		r.add(do.Then[0].Pos, path+".then", "not within then (want one list, in order)")
		return t, false
	}
	next := *do
	if next.Set.Text == same {
		next.Set.Text = first.Set.Text
		if next.addsObjects() {
			next.Overwrite = Value{Text: "true", Note: next.Set.Note}
		}
	}
	if t, ok = r.task(ph, &next, path, ""); !ok {
		return t, false
	}
	t.same, t.count = do.Set.Text == same, 0
	if !do.Count.IsZero() {
		n, valid := r.count(do.Count, path+".count")
		if t.count = int(n); valid && (n < 1 || n > 1000) {
			r.add(do.Count.Pos, path+".count", "invalid value %d (want 1 to 1000)", n)
		}
	}
	return t, true
}
