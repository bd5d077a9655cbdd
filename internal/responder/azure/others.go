package azure

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Ask sends the request of somebody else, who has all rights, to a server that plays an account. Headers are names and values by turns.
func Ask(server, method, path, query, body string, headers ...string) error {
	req, err := http.NewRequest(method, server+"/"+Account+"/"+path+"?"+query+"&"+AccountSAS("rwdxlact"), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Ms-Version", Version)
	req.Close = true
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s?%s: %s %s", method, path, query, resp.Status, resp.Header.Get("X-Ms-Error-Code"))
	}
	return nil
}

// Strew puts into a container, below a prefix, what somebody else may keep there: a blob with a snapshot, one with an earlier version, one
// that is deleted, unfinished uploads, and a directory if the account has such.
func (s *Store) Strew(server, container, prefix string) error {
	const block = "comp=block&blockid=YQ%3D%3D"
	at := container + "/" + prefix
	put := func(name string) error {
		return Ask(server, http.MethodPut, at+name, "", "text", "X-Ms-Blob-Type", blockBlob)
	}
	errs := []error{
		put("letter.txt"),
		put("twice"), put("twice"),
		put("deleted"), Ask(server, http.MethodDelete, at+"deleted", "", ""),
		Ask(server, http.MethodPut, at+"unfinished", block, "text"),
		put("under%20way"), Ask(server, http.MethodPut, at+"under%20way", block, "text"),
	}
	if s.Directories {
		errs = append(errs, put("directory/inner/blob"), put("empty/blob"), Ask(server, http.MethodDelete, at+"empty/blob", "", ""))
	} else {
		errs = append(errs, Ask(server, http.MethodPut, at+"letter.txt", "comp=snapshot", ""))
	}
	return errors.Join(errs...)
}
