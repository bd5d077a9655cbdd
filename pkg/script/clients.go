package script

// division notes a run whose objects clients share.
func division(r *resolver, ph *Phase, label, path string) {
	text, ok := r.text(ph.Division, path+".division")
	switch {
	case !ok:
	case text != "share" && text != "each":
		r.add(ph.Division.Pos, path+".division", "invalid value %q (want share or each)", text)
	case text == "share":
		r.shared = append(r.shared, label)
	case r.file.SharedData.Text == "true":
		r.add(ph.Division.Pos, path+".division", "each, while shared-data is true for all phases (want one of the two)")
	}
}

// clientsOf returns the clients that a run is on, as the file names them; none: all.
func clientsOf(r *resolver, ph *Phase, path string) (list []string) {
	for i, v := range ph.OnClients {
		if text, ok := r.text(v, indexed(path+".on-clients", i)); ok && text != "" {
			list = append(list, text)
		}
	}
	if len(list) > 0 && !ph.Load.Search.IsZero() {
		r.add(ph.OnClients[0].Pos, path+".on-clients", "not for a search, which is on all clients")
	}
	return list
}

// shares reports whether clients share the objects of all runs; one is a run that says otherwise, if others say that they do.
func shares(r *resolver) (all bool, one string) {
	for _, name := range r.streams {
		found := false
		for _, s := range r.shared {
			found = found || s == name
		}
		if !found {
			one = name
		}
	}
	return len(r.shared) > 0 && one == "", one
}
