package s3

import (
	"errors"
	"fmt"
	"io"
)

// readDeleted reads the answer to a multi-delete into c.Failed. It is an error if anything was not deleted.
func readDeleted(r io.Reader, c *Call) *Error {
	var id ObjectID
	var e errorBody
	root, err := xmlWalk(r, func(el element) {
		switch {
		case el.parent == "Error" && el.name == "Key":
			id.Key = string(el.text)
		case el.parent == "Error" && el.name == "VersionId":
			id.Version = string(el.text)
		case el.name == "Code":
			e.Code = string(el.text)
		case el.name == "Message":
			e.Message = string(el.text)
		case len(c.Failed) > len(c.Objects): // enough to see that it is wrong
		case el.name == "Error" && el.parent == "DeleteResult":
			c.Failed = append(c.Failed, ObjectErr{ObjectID: id, Err: codeError(e)})
			id, e = ObjectID{}, errorBody{}
		}
	})
	switch {
	case err != nil:
		return badAnswer(root, err)
	case root == "Error": // a failure behind a 200, which S3 allows itself where work began before it failed
		return codeError(e)
	case root != "DeleteResult":
		return badAnswer(root, errors.New("not the answer to a multi-delete"))
	case len(c.Failed) > 0:
		if err := checkFailed(c); err != nil {
			c.Failed = c.Failed[:0]
			return err
		}
		first := c.Failed[0]
		return &Error{Class: classNotDeleted, Message: oneLine(fmt.Sprintf("%d of %d objects; first: %s: %v", len(c.Failed), len(c.Objects), first.Key, first.Err)), Err: first.Err}
	}
	return nil
}

// codeError is an error that a server put into an answer of its own.
func codeError(b errorBody) *Error {
	e := &Error{}
	e.fill(b)
	e.Class = e.Code
	if e.Class == "" {
		e.Class = classBadAnswer
	}
	return e
}
