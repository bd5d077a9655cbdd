package script

import "strings"

// joinShapes puts together what several keys of a load say about one shape.
func joinShapes(e evaluator, l *Load, path string) {
	scaled := false
	scale := func(v Value, key string) Value {
		text, _ := e.text(v, path+"."+key)
		inner, file := strings.CutPrefix(text, "file(")
		if !file || l.Scale.IsZero() {
			return v
		}
		scaled = true
		return Value{Text: "file(" + strings.TrimSuffix(inner, ")") + "," + l.Scale.Text + ")", Note: v.Note}
	}
	if len(l.Rate) == 1 {
		if l.Rate[0].Text == "max" { // a closed loop
			l.Rate = nil
		} else {
			l.Rate = []Value{scale(l.Rate[0], "rate")}
		}
	}
	if len(l.Threads) == 1 {
		l.Threads = []Value{scale(l.Threads[0], "threads")}
	}
	if !l.Scale.IsZero() && !scaled {
		e.add(l.Scale.Pos, path+".scale", "nothing to scale (want rate or threads of a file, as in {rate: file(day.csv), scale: 0.1})")
	}
	switch {
	case l.Burst.IsZero() && l.Every.IsZero():
	case l.Burst.IsZero() || l.Every.IsZero():
		e.add(l.Pos, path, "burst and every belong together, as in {burst: 200, every: 5s}")
	case l.Rate != nil:
		e.add(l.Burst.Pos, path+".burst", "want either rate or burst")
	default:
		l.Rate = []Value{{Text: "burst(" + l.Burst.Text + "," + l.Every.Text + ")", Note: l.Burst.Note}}
	}
	l.Scale, l.Burst, l.Every = Value{}, Value{}, Value{}
}
