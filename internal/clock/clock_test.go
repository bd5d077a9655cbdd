package clock

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if !Pause(t.Context(), time.Minute) || time.Since(begin) != time.Minute {
			t.Errorf("it waited %v", time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if begin = time.Now(); Pause(ctx, time.Minute) || time.Since(begin) != time.Second {
			t.Errorf("it waited %v, and its context ended after a second", time.Since(begin))
		}
	})
}
