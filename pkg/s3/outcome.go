package s3

import "slices"

// An outcome is a response with a status that its caller expects, beside success: the condition of a request did not hold, or the
// object was not there, and that is what is measured. It is an error of the request all the same, which did not do what it says,
// but one that costs no more than a success.

// Outcome returns the status of the response if an error is an outcome, of which the statuses are given; else 0.
func Outcome(err error, expected []int) int {
	if e := errorIn(err); e != nil && slices.Contains(expected, e.Status) {
		return e.Status
	}
	return 0
}
