package script

import (
	"strings"

	"warp/pkg/bench"
)

// execStep resolves a program that is run between phases.
func execStep(e evaluator, ph *Phase, path string) (s bench.Step, ok bool) {
	path += ".exec"
	s.Exec = e.texts(ph.Exec.Command, path+".command")
	for i, v := range ph.Exec.Env {
		text, ok := e.text(v, indexed(path+".env", i))
		switch {
		case ok && (text == "" || strings.Contains(text, "=")):
			e.add(v.Pos, indexed(path+".env", i), "invalid value %q (want the name of a variable)", text)
		case ok:
			s.ExecEnv = append(s.ExecEnv, text)
		}
	}
	switch on, given := e.text(ph.Exec.On, path+".on"); {
	case len(s.Exec) == 0:
		e.add(ph.Exec.Pos, path, "no program (want {command: [PROGRAM, ARGUMENT, ...]})")
	case s.Exec[0] == "":
		e.add(ph.Exec.Command[0].Pos, path+".command", "no program (want its name or path first)")
	case given && on == "clients":
		e.add(ph.Exec.On.Pos, path+".on", "clients run no programs (want coordinator, which is where \"warp run\" runs)")
	case given && on != "coordinator":
		e.add(ph.Exec.On.Pos, path+".on", "invalid value %q (want coordinator)", on)
	default:
		return s, true
	}
	return s, false
}
