package op

import "strings"

// MaxClass is the longest error class in bytes, so that a server's free text does not become a class of its own.
const MaxClass = 64

// Class is the class of an error text: what stands before the first ": ", for instance "503 SlowDown" or
// "connection refused". Texts of other tools have no such head; they are classes by themselves, cut to MaxClass.
func Class(err string) string {
	head, _, found := strings.Cut(err, ": ")
	if !found || head == "" || len(head) > MaxClass {
		head = err
	}
	if len(head) > MaxClass {
		head = strings.ToValidUTF8(head[:MaxClass-len("...")], "") + "..."
	}
	return head
}
