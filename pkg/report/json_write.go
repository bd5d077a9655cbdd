package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// writeJSON writes v as one indented JSON object and a newline; what names it in the error.
func writeJSON(w io.Writer, what string, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}
