//go:build !linux

package main

import (
	"errors"
	"os"
)

func terminal() (*os.File, func() error, error) { return nil, nil, errors.ErrUnsupported }
