package coordinator

import (
	"slices"

	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// onces are the values that one client makes for all. The coordinator's lock guards them, and is held by all callers.
type onces struct {
	members *members
	values  map[string]*onceState
}

// onceState is the state of a value.
type onceState struct {
	maker   *member
	waiting []*member
	value   *protocol.SharedValue // nil: not made yet
}

// maxOnces limits the values that the coordinator keeps.
const maxOnces = 100

// handle handles the request for a value, and the value.
func (o *onces) handle(m *member, kind string, v *protocol.SharedValue) error {
	s := o.values[v.Key]
	switch {
	case kind == protocol.MsgCreated && (s == nil || s.maker != m || s.value != nil):
		return transport.Violationf("made a value that was not requested")
	case kind == protocol.MsgCreated:
		s.value = v
		for _, w := range s.waiting {
			o.members.send(w, protocol.MsgValue, v)
		}
		s.waiting = nil
	case s == nil && len(o.values) >= maxOnces:
		return transport.Violationf("requested too many values")
	case s == nil:
		o.values[v.Key] = &onceState{maker: m}
		o.members.send(m, protocol.MsgCreate, protocol.SharedValue{Key: v.Key})
	case s.value != nil:
		o.members.send(m, protocol.MsgValue, s.value)
	case s.maker == m || slices.Contains(s.waiting, m):
		return transport.Violationf("requested the same value twice")
	default:
		s.waiting = append(s.waiting, m)
	}
	return nil
}

// reassign has another waiting client make the values of a lost one.
func (o *onces) reassign(lost *member) {
	for key, s := range o.values {
		s.waiting = slices.DeleteFunc(s.waiting, func(m *member) bool { return m == lost })
		if s.maker != lost || s.value != nil {
			continue
		}
		if len(s.waiting) == 0 {
			delete(o.values, key)
			continue
		}
		s.maker, s.waiting = s.waiting[0], s.waiting[1:]
		o.members.send(s.maker, protocol.MsgCreate, protocol.SharedValue{Key: key})
	}
}
