package s3

// paging notices when the pages of a listing go round in circles, however long the circle is. It remembers one token, and
// takes a later one instead after twice as many pages each time (Brent's way), so it needs no memory for each page.
type paging struct {
	next       string // token of the page that is to be asked for
	remembered string
	pages, at  int // since the remembered one, and when to take another
}

// check looks at the token for the next page in the response to c.
func (p *paging) check(c *Call) error {
	if c.Token == "" || c.Token != p.next {
		*p = paging{}
	}
	if p.repeats(c.Next) {
		return errNoEnd(c.Status)
	}
	return nil
}

// repeats reports whether the page with this token has been listed before. The token is empty after the last page.
func (p *paging) repeats(next string) bool {
	p.next = next
	if next == "" {
		return false
	}
	if next == p.remembered {
		return true
	}
	if p.pages++; p.pages >= p.at {
		p.remembered, p.pages, p.at = next, 0, max(1, 2*p.at)
	}
	return false
}

func errNoEnd(status int) *Error {
	return &Error{Class: classBadAnswer, Status: status, Message: "the listing has no end: its pages repeat"}
}
