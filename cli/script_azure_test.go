package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/internal/responder/azure"
)

// azureFaker is a program with an account of Azure, which it prints the host, the key and a SAS of. Its container "mine" holds what somebody
// else left there. With an address, it prints instead all that this container holds at a host that an earlier one printed.
func azureFaker() {
	err := startAccount()
	if len(os.Args) > 1 {
		err = printHolds(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "azurefaker:", err)
		os.Exit(process.ExitFailed)
	}
	if len(os.Args) == 1 {
		select {} // until it is killed
	}
}

const holdsPath = "/what-it-holds"

func startAccount() error {
	if len(os.Args) > 1 {
		return nil
	}
	account := azure.New(azure.Options{EmptyPages: true})
	s, err := responder.New(responder.Options{Keep: true, Dialect: account, Buckets: []string{"mine"}})
	if err != nil {
		return err
	}
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == holdsPath {
			_, _ = io.WriteString(w, strings.Join(account.Holds("mine"), "\n")+"\n")
			return
		}
		s.ServeHTTP(w, r)
	}))
	if err := account.Strew(around.URL, "mine", "theirs/"); err != nil {
		return err
	}
	fmt.Printf("host: %s\nkey: %s\nsas: %s\n", strings.TrimPrefix(around.URL, "http://"), azure.Key, azure.AccountSAS("rwdlact"))
	fmt.Printf("sas of mine: %s\nready\n", azure.ContainerSAS("mine", "rcwdl"))
	return nil
}

func printHolds(host string) error {
	resp, err := http.Get("http://" + host + holdsPath)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(os.Stdout, resp.Body)
	return err
}
