package testkit

import (
	"flag"
	"strconv"
)

// Parallel lets n parallel tests run at a time unless -parallel says otherwise. It is for TestMain of packages whose tests
// wait rather than compute; the usual number is that of the cores.
func Parallel(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}
