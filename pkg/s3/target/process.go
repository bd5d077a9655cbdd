package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/pkg/units"
)

const (
	processTimeout = time.Minute
	maxWords       = 300 // of what a program says when it fails
)

// processKeys are the keys that a program prints: credential_process of a profile, which the shell runs.
type processKeys struct {
	credentials.Expiry
	command string
	limit   time.Duration
}

// RetrieveWithCredContext runs the program.
func (p *processKeys) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	ctx := context.Background()
	if cc != nil && cc.Context != nil {
		ctx = cc.Context
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	cmd := shell(ctx, p.command)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &words, time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return credentials.Value{}, fmt.Errorf("credential_process: no keys after %v%s", p.limit, said(words.String()))
	case err != nil:
		return credentials.Value{}, fmt.Errorf("credential_process: %w%s", err, said(words.String()))
	}
	return p.parse(out.Bytes())
}

// said is what a program said, in one line; empty if it said nothing.
func said(words string) string {
	if words = strings.Join(strings.Fields(units.Line(words)), " "); words == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(words[max(0, len(words)-maxWords):], "")
}

// parse reads the output of the program. An error repeats nothing of it.
func (p *processKeys) parse(out []byte) (credentials.Value, error) {
	var keys struct {
		Version                                   int
		AccessKeyID                               string `json:"AccessKeyId"`
		SecretAccessKey, SessionToken, Expiration string
	}
	if json.Unmarshal(out, &keys) != nil {
		return credentials.Value{}, errors.New("credential_process: its output is not the JSON that AWS specifies")
	}
	if keys.Version != 1 {
		return credentials.Value{}, fmt.Errorf("credential_process: its output has version %d (want 1)", keys.Version)
	}
	v := credentials.Value{
		AccessKeyID:     keys.AccessKeyID,
		SecretAccessKey: keys.SecretAccessKey,
		SessionToken:    keys.SessionToken,
		SignerType:      credentials.SignatureV4,
	}
	if keys.Expiration != "" {
		var err error
		if v.Expiration, err = time.Parse(time.RFC3339, keys.Expiration); err != nil {
			return credentials.Value{}, errors.New("credential_process: its Expiration is no time (want one as in RFC 3339)")
		}
		p.SetExpiration(v.Expiration, credentials.DefaultExpiryWindow)
	}
	return v, nil
}

// Retrieve runs the program.
func (p *processKeys) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }
