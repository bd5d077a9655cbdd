package script

import "slices"

// division reports whether clients share the objects of a run.
func division(e evaluator, ph *Phase, sharedData Value, path string) (shared bool) {
	text, ok := e.text(ph.Division, path+".division")
	switch {
	case !ok:
	case text != "share" && text != "each":
		e.add(ph.Division.Pos, path+".division", "invalid value %q (want share or each)", text)
	case text == "share":
		return true
	case sharedData.Text == "true":
		e.add(ph.Division.Pos, path+".division", "each, while shared-data is true for all phases (want one of the two)")
	}
	return false
}

// clientsOf returns the clients that a run is on, as the file names them; none: all.
func clientsOf(e evaluator, ph *Phase, path string) []string {
	list := slices.DeleteFunc(e.texts(ph.OnClients, path+".on-clients"), func(text string) bool { return text == "" })
	if len(list) > 0 && !ph.Load.Search.IsZero() {
		e.add(ph.OnClients[0].Pos, path+".on-clients", "not for a search, which is on all clients")
	}
	return list
}
