package exchange

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"warp/internal/option"
)

// Services that signatures are for.
const (
	serviceS3      = "s3"
	serviceExpress = "s3express" // of directory buckets
	serviceStorage = "storage"   // of Google
)

// Scheme is how keys prove that a request may be performed.
type Scheme uint8

// Schemes. Requests whose address holds the proof (Request.Suffix) have no keys.
const (
	AWS4      Scheme = iota // version 4 of AWS's signatures
	GOOG4                   // the same in Google's words
	SharedKey               // of Azure: Access is the account, Secret its key in base64
	Bearer                  // Token is sent as it is, and nothing is signed
)

// V4 are the words that AWS4 and GOOG4 differ in.
type V4 struct {
	Algorithm     string
	Prefix        string // before the secret, in the first key
	Terminator    string // of the scope
	Date, Payload string // headers: when it was signed, and the hash of the body
}

var (
	aws4  = V4{"AWS4-HMAC-SHA256", "AWS4", "aws4_request", "X-Amz-Date", "X-Amz-Content-Sha256"}
	goog4 = V4{"GOOG4-HMAC-SHA256", "GOOG4", "goog4_request", "X-Goog-Date", "X-Goog-Content-Sha256"}
)

// Keys sign requests.
type Keys struct {
	Scheme         Scheme
	Access, Secret string
	Token          string // of temporary keys; may be empty. Of Bearer: the token
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

// V4 returns the words of AWS4 or GOOG4.
func (k *Keys) V4() *V4 {
	if k.Scheme == GOOG4 {
		return &goog4
	}
	return &aws4
}

// Service returns the service that signatures are for.
func (k *Keys) Service() string {
	switch {
	case k.Scheme == GOOG4:
		return serviceStorage
	case k.Express:
		return serviceExpress
	}
	return serviceS3
}

// AccountKey returns the key of an account of Azure.
func (k *Keys) AccountKey() ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(k.Secret)
	if err != nil || len(key) == 0 {
		return nil, errAccountKey // without the text, which is secret
	}
	return key, nil
}

var errAccountKey = errors.New("the key of an account must be base64")

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
