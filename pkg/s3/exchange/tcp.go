package exchange

import (
	"errors"
	"net"
)

// TCP is options of connections. Zero values leave them to the system.
type TCP struct {
	SendBuffer    int  `json:"send_buffer,omitempty"`    // in bytes; Linux doubles it
	ReceiveBuffer int  `json:"receive_buffer,omitempty"` // in bytes; Linux doubles it
	Delay         bool `json:"delay,omitempty"`          // send small packets only when earlier ones are acknowledged (Nagle)
}

// Apply sets the options of a connection.
func (o *TCP) Apply(c *net.TCPConn) error {
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
