package report

import (
	"bytes"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/doctor/finding"
)

// examination is one with something of everything.
func examination() *finding.Report {
	return &finding.Report{
		Store: []finding.Fact{{Name: "Store", Text: "Azure Blob Storage (2023-11-03), SAS, by --host"}, {Name: "Credentials", Text: "--sas-token"}},
		Hosts: []*finding.Host{
			{
				URL: "https://s3.example.com", Server: "thing/1\x1b[31m",
				Addresses: []finding.Address{{IP: "10.0.0.1", Connect: 0.31}, {IP: "10.0.0.2", Connect: 10_000, Error: "dial tcp 10.0.0.2:443: i/o timeout"}},
				TLS: &finding.TLS{
					Version: "TLS 1.3", Cipher: "TLS_AES_128_GCM_SHA256", KeyExchange: "X25519MLKEM768", HTTP2: true, Handshake: 2.5,
					Certificate: &finding.Certificate{Names: []string{"s3.example.com", "*.s3.example.com"}, Issuer: "CN=Some CA", Expires: time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)},
				},
				Clock:       &finding.Clock{Offset: -8200, Error: 420},
				RoundTrips:  []finding.RoundTrip{{Kind: "PUT", Requests: 40, Median: 1.25, Min: 1, Max: 4}, {Kind: "GET", Requests: 40, Median: 41.2, Min: 40.5, Max: 44}},
				Connections: &finding.Connections{Requests: 80, Made: 1}, DelayedACK: []string{"GET"},
			},
			{URL: "https://down.example.com", TLS: &finding.TLS{Error: "EOF"}, Problem: "https://down.example.com: it is down"},
			{
				URL: "https://far.example.com", Proxy: "http://proxy:3128", Clock: &finding.Clock{Offset: 100, Error: 500}, Connections: &finding.Connections{Requests: 80, Made: 80},
				Differs: []finding.Check{{Group: "Second", Name: "five", Right: "s3:C", Result: finding.Yes}, {Group: "Second", Name: "six", Right: "s3:C", Result: finding.No, Status: 501, Detail: "501 NotImplemented"}},
			},
		},
		Bucket: finding.Bucket{Name: "b", Made: true, Region: "us-east-1", Said: "eu-west-1", Versioning: "Suspended", Lock: finding.LockEnabled},
		Checks: []finding.Check{
			{Group: "First", Name: "one", Right: "s3:A", Result: finding.Yes},
			{Group: "First", Name: "a longer one", Right: "s3:B", Result: finding.Denied, Status: 403, Detail: "grant s3:B"},
			{Group: "Second", Name: "three", Right: "s3:C", Result: finding.No, Status: 501, Detail: "501 NotImplemented: this server does not know anything about the request that it was sent"},
			{Group: "Second", Name: "four", Right: "s3:C", Result: finding.Ignored, Detail: "the object is replaced"},
			{Group: "Second", Name: "five", Right: "s3:C", Result: finding.Failed, Detail: "timeout"},
			{Group: "Second", Name: "six", Right: "s3:C", Result: finding.Untried},
		},
		Leftovers: 12,
		Problems:  []string{"https://down.example.com: it is down"},
		Warnings:  []string{"https://s3.example.com: its clock is 8s off this machine's"},
	}
}

func TestDoctor(t *testing.T) {
	for name, o := range map[string]TextOptions{"doctor": {}, "doctor-terminal": {Color: true, Width: 72}} {
		var out bytes.Buffer
		if err := Doctor(&out, examination(), o); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, "testdata/"+name+".txt", out.String())
	}
	var out bytes.Buffer
	if err := DoctorJSON(&out, examination(), "v1"); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/doctor.json", out.String())
}
