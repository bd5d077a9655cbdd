package cli

import (
	"fmt"
	"os"
	"strings"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/internal/responder/gcsjson"
	"warp/internal/responder/gcsxml"
)

// googleFaker is a program with a project of Google that is reached by the XML interface, or the JSON interface with the argument json. It
// prints its host, keys and token. With the argument single it refuses to delete several objects by one request.
func googleFaker() {
	how := strings.Join(os.Args[1:], " ")
	var project responder.Dialect = gcsjson.New(gcsjson.Options{Token: gcsxml.Token})
	if how != "json" {
		byXML := gcsxml.New()
		byXML.Single, project = how == "single", byXML
	}
	s, err := responder.New(responder.Options{Keep: true, Dialect: project, Buckets: []string{"mine"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "googlefaker:", err)
		os.Exit(process.ExitFailed)
	}
	fmt.Printf("host: %s\naccess: %s\nsecret: %s\ntoken: %s\nready\n", s.URL(), gcsxml.Access, gcsxml.Secret, gcsxml.Token)
	select {} // until it is killed
}
