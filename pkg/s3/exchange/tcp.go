package exchange

import "errors"

// TCP is options of connections. Zero values leave them to the system.
type TCP struct {
	SendBuffer    int  `json:"send_buffer,omitempty"`    // in bytes; Linux doubles it
	ReceiveBuffer int  `json:"receive_buffer,omitempty"` // in bytes; Linux doubles it
	Delay         bool `json:"delay,omitempty"`          // send small packets only when earlier ones are acknowledged (Nagle)
}

// TCPConn is what options are set on, such as a net.TCPConn.
type TCPConn interface {
	SetWriteBuffer(bytes int) error
	SetReadBuffer(bytes int) error
	SetNoDelay(on bool) error
}

// Apply sets the options of a connection.
func (o *TCP) Apply(c TCPConn) error {
	var errs []error
	if o.SendBuffer > 0 {
		errs = append(errs, c.SetWriteBuffer(o.SendBuffer))
	}
	if o.ReceiveBuffer > 0 {
		errs = append(errs, c.SetReadBuffer(o.ReceiveBuffer))
	}
	if o.Delay {
		errs = append(errs, c.SetNoDelay(false))
	}
	return errors.Join(errs...)
}
