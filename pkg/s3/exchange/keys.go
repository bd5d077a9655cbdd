package exchange

import (
	"fmt"
	"time"

	"warp/internal/option"
)

// Services that signatures are for.
const (
	serviceS3      = "s3"
	serviceExpress = "s3express" // of directory buckets
)

// Keys sign requests.
type Keys struct {
	Access, Secret string
	Token          string // of temporary keys; may be empty
	Express        bool   // for serviceExpress, instead of serviceS3
	Session        bool   // they belong to a session with a directory bucket
}

// Check refuses keys and a region that would end a header and begin another. Flags and files are checked before, with better errors.
func (k *Keys) Check(region string) error {
	if err := option.CheckLine(region); err != nil {
		return fmt.Errorf("region: %w", err)
	}
	for _, text := range []string{k.Access, k.Secret, k.Token} {
		if err := option.CheckLine(text); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	return nil
}

// Service returns the service that signatures are for.
func (k *Keys) Service() string {
	if k.Express {
		return serviceExpress
	}
	return serviceS3
}

// TokenHeader returns the header of the token; empty if there is none.
func (k *Keys) TokenHeader() string {
	switch {
	case k.Token == "":
		return ""
	case k.Session:
		return "X-Amz-S3session-Token"
	}
	return "X-Amz-Security-Token"
}

// renewAt is the part of the life of keys after which new ones are asked for.
const renewAt = 0.8

// RenewTimeout is the longest time for one attempt to get new keys.
const RenewTimeout = 30 * time.Second

// RenewalPause is how long to wait before keys are renewed that still live for a while; at least pause.
func RenewalPause(life, pause time.Duration) time.Duration {
	return max(pause, time.Duration(renewAt*float64(life)))
}
