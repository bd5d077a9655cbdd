package cli

import (
	"fmt"
	"os"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/internal/responder/google"
)

// googleFaker is a program with a project of Google that is reached by the XML interface. It prints its host, keys and token. Its bucket
// "mine" holds an object of somebody else. With an argument it refuses to delete several objects by one request.
func googleFaker() {
	project := google.New()
	project.Single = len(os.Args) > 1
	s, err := responder.New(responder.Options{Keep: true, Dialect: project, Buckets: []string{"mine"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "googlefaker:", err)
		os.Exit(process.ExitFailed)
	}
	fmt.Printf("host: %s\naccess: %s\nsecret: %s\ntoken: %s\nready\n", s.URL(), google.Access, google.Secret, google.Token)
	select {} // until it is killed
}
