package usage

import (
	"context"

	"github.com/urfave/cli/v3"
)

// Standalone returns a context for a command line of its own, which the parser would take for a subcommand of the present command.
func Standalone(ctx context.Context) context.Context { return standalone{ctx} }

type standalone struct{ context.Context }

// Value implements context.Context: all values but the parser's command.
func (s standalone) Value(key any) any {
	v := s.Context.Value(key)
	if _, ok := v.(*cli.Command); ok {
		return nil
	}
	return v
}
