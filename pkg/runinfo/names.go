package runinfo

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Suffix ends the file names of recordings.
const Suffix = ".csv.zst"

const idChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// NewID returns a random id of a client: four characters, as in recordings of MinIO warp.
func NewID() string {
	id := make([]byte, 4)
	for i := range id {
		id[i] = idChars[rand.IntN(len(idChars))]
	}
	return string(id)
}

// BaseName returns the default file name of a recording, without Suffix.
func BaseName(command, client string, at time.Time) string {
	return fmt.Sprintf("warp-%s-%s-%s", command, at.Format("2006-01-02[150405]"), client)
}
