package decode

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestThreadNumbersStay: a thread keeps its number, whether the threads between are known when it comes first or later.
func TestThreadNumbersStay(t *testing.T) {
	var all threads
	random := rand.New(rand.NewPCG(3, 3))
	type seen struct{ i, client int }
	known := map[string]seen{}
	for range 200_000 {
		client, thread := fmt.Sprint("c", random.IntN(3)), uint32(random.IntN(6000))
		i, c := all.Number(client, thread)
		key := fmt.Sprint(client, " ", thread)
		if was, ok := known[key]; ok && was != (seen{i, c}) {
			t.Fatalf("%s was %v and is %v", key, was, seen{i, c})
		} else if !ok && i != len(known) {
			t.Fatalf("%s is number %d after %d others", key, i, len(known))
		}
		known[key] = seen{i, c}
		if ofClient, number := all.At(i); number != thread || ofClient != client {
			t.Fatalf("%s is in the list as %d of %s", key, number, ofClient)
		}
	}
}
