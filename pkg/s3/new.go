package s3

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// New makes a way to the store that cfg describes. It sends nothing yet.
func New(cfg Config) (Store, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	engine, reason, err := cfg.engine()
	if err != nil {
		return nil, err
	}
	sdk, err := newSDK(cfg)
	if err != nil {
		return nil, err
	}
	if engine == engineLean {
		return newLean(sdk)
	}
	if sdk.reason = reason; cfg.Engine != engineSDK && cfg.Debug != nil {
		cfg.Debug("engine %s: %s", engine, reason)
	}
	return sdk, nil
}

func (c *Config) validate() error {
	switch {
	case len(c.Hosts) == 0:
		return errors.New("no host given; use --host")
	case c.Bucket == "":
		return errors.New("no bucket given; use --bucket")
	case c.Encrypt && !c.TLS:
		return errors.New("--encrypt sends a key with each request and needs TLS; add --tls or use https:// in --host")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return errors.New("access key and secret key must be given together")
	case c.Retries < 0:
		return fmt.Errorf("--retries=%d is negative", c.Retries)
	}
	if err := oneOf("--lookup", c.Lookup, "path", "host"); err != nil {
		return err
	}
	if err := c.CheckLookup(); err != nil {
		return err
	}
	if err := oneOf("--host-select", c.HostSelect, "weighed", "roundrobin"); err != nil {
		return err
	}
	if err := oneOf("--engine", c.Engine, "auto", engineLean, engineSDK); err != nil {
		return err
	}
	if _, err := c.localAddr(); err != nil {
		return err
	}
	for _, h := range c.Headers {
		if err := h.Check(); err != nil {
			return err
		}
	}
	return oneOf("--signature", c.Signature, "S3V4", "S3V2", "anonymous")
}

func oneOf(option, value string, known ...string) error {
	if value == "" {
		return nil
	}
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fmt.Errorf("%s=%s is not known; use one of %v", option, value, known)
}

// CheckLookup checks that hosts have names which a bucket can be part of, if it shall be.
func (c *Config) CheckLookup() error {
	if c.Lookup != "host" {
		return nil
	}
	for _, h := range c.Hosts {
		name := c.nameOf(h)
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		if _, err := netip.ParseAddr(trimBrackets(name)); err == nil {
			return fmt.Errorf("--lookup=host: %s is an IP address, which a bucket cannot be part of; use --lookup=path, or a name in --host", h)
		}
	}
	return nil
}

// anonymous tells whether requests are sent without a signature.
func (c *Config) anonymous() bool { return c.AccessKey == "" || c.Signature == "anonymous" }

// hostURL is the URL of a host, scheme://host[:port].
func (c *Config) hostURL(host string) string {
	if c.TLS {
		return "https://" + host
	}
	return "http://" + host
}

// localAddr is the address to connect from; not valid if none is given.
func (c *Config) localAddr() (netip.Addr, error) {
	if c.LocalAddr == "" {
		return netip.Addr{}, nil
	}
	a, err := netip.ParseAddr(c.LocalAddr)
	if err != nil {
		return a, fmt.Errorf("local address %q is not an IP address of this machine", c.LocalAddr)
	}
	return a, nil
}

// nameOf is what a host is asked as: what stands in the Host header and in its certificate.
func (c *Config) nameOf(host string) string {
	if name := c.Names[host]; name != "" {
		return name
	}
	return host
}
