package s3

import (
	"cmp"
	"errors"
	"net/http"
)

const (
	engineLean = "lean"
	engineSDK  = "sdk"
)

// engine chooses what serves the operations, and tells why if it is not the lean engine although that was not ruled out.
func (c *Config) engine() (name, reason string, err error) {
	if c.Engine == engineSDK {
		return engineSDK, "it was asked for (--engine=sdk)", nil
	}
	reason = c.needsSDK()
	if reason == "" {
		return engineLean, "", nil
	}
	if c.Engine == engineLean {
		return "", "", errors.New("--engine=lean cannot be used: " + reason + "; leave it out, or use --engine=sdk")
	}
	return engineSDK, reason, nil
}

// needsSDK names an option that the lean engine cannot honour; empty if there is none. What is asked of buckets, and
// not measured, is the SDK's matter in any case.
func (c *Config) needsSDK() string {
	if c.Signature == "S3V2" && !c.anonymous() {
		return "--signature=S3V2 is made by the SDK alone"
	}
	first := ""
	for _, host := range c.Hosts {
		region, err := c.regionOf(c.nameOf(host))
		if err != nil {
			return "" // it is complained about elsewhere
		}
		if first = cmp.Or(first, region); region != first {
			return "the hosts are in several regions (" + first + ", " + region + "), for which only the SDK signs"
		}
		req, err := http.NewRequest(http.MethodGet, c.hostURL(c.nameOf(host)), http.NoBody)
		if err != nil {
			return "" // it is complained about elsewhere
		}
		if proxy, err := http.ProxyFromEnvironment(req); err != nil || proxy != nil {
			return "the environment names a proxy for host " + host + " (HTTP_PROXY, HTTPS_PROXY), which only the SDK goes through"
		}
	}
	return ""
}
