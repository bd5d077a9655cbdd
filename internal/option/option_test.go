package option_test

import (
	"errors"
	"testing"

	"warp/internal/option"
)

func TestErrors(t *testing.T) {
	for want, err := range map[string]error{
		`--lookup: invalid value "up" (want path or host)`:       option.OneOf("lookup", "up", "path", "host"),
		`--x: invalid value "" (want a, b or c)`:                 option.OneOf("x", "", "a", "b", "c"),
		`--retries: invalid value -1 (want 0 or more)`:           option.Invalid("retries", -1, "0 or more"),
		`--access-key, --secret-key: no credentials found`:       option.Errorf("access-key, secret-key", "no credentials %s", "found"),
		`--host: no such file`:                                   option.Wrap("host", errors.New("no such file")),
		`--range: invalid value "r" (want only this one prefix)`: option.Wrap("other", option.Invalid("range", "r", "only this one prefix")),
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if known := (*option.Error)(nil); !errors.As(err, &known) || known.Err == nil {
			t.Errorf("%q names no option", err)
		}
	}
	if err := errors.Join(option.OneOf("lookup", "path", "path", "host"), option.Wrap("x", nil)); err != nil {
		t.Error(err)
	}
}
