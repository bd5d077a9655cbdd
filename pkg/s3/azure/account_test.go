package azure_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

const (
	askAccount = "GET " + box + "?comp=properties&restype=account"
	askService = "GET /devstoreaccount1?comp=properties&restype=service"
)

var (
	hierarchical = answer{200, "x-ms-account-kind: StorageV2|x-ms-sku-name: Standard_LRS|x-ms-is-hns-enabled: true", ""}
	retention    = answer{200, "", "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days>" +
		"</DeleteRetentionPolicy></StorageServiceProperties>"}
)

// checkRequests compares what was sent.
func checkRequests(t *testing.T, f *fake, want ...string) {
	t.Helper()
	if !slices.Equal(f.Requests, want) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(f.Requests, "\n"), strings.Join(want, "\n"))
	}
}

func TestAskAccount(t *testing.T) {
	for _, tc := range []struct {
		name    string
		answers []answer
		want    string
	}{
		{
			"all",
			[]answer{hierarchical, retention},
			"Account=StorageV2, Standard_LRS, Hierarchical namespace=yes, Soft delete=7 days (soft delete is on: what is deleted is kept, and " +
				"billed, for 7 days)",
		},
		{
			"without the right to see the service",
			[]answer{{200, "x-ms-is-hns-enabled: false", ""}, {403, "x-ms-error-code: AuthorizationFailure", ""}},
			"Account=kind not known, SKU not known, Hierarchical namespace=no, Soft delete=not known",
		},
		{"without any right", []answer{{403, "x-ms-error-code: AuthorizationFailure", ""}}, "403 AuthorizationFailure"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = slices.Clone(tc.answers)
				facts, err := ops.AskAccount(t.Context(), s, &s3.Call{})
				var list []string
				for _, fact := range facts {
					text := fact.Name + "=" + fact.Text
					if fact.Warning != "" {
						text += " (" + fact.Warning + ")"
					}
					list = append(list, text)
				}
				if err != nil {
					list = append(list, err.Error())
				}
				if got := strings.Join(list, ", "); got != tc.want {
					t.Errorf("got %s, want %s", got, tc.want)
				}
				checkRequests(t, f, []string{askAccount, askService}[:len(tc.answers)]...)
			})
		})
	}
}

// TestHierarchical: once the account has said that it has directories, they are neither objects nor left behind, and what it lacks is not
// asked for.
func TestHierarchical(t *testing.T) {
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		ctx := t.Context()
		f.Answers = []answer{hierarchical, retention, {200, "", "<EnumerationResults><Blobs>" +
			"<Blob><Name>p/e</Name><Properties><Content-Length>0</Content-Length></Properties></Blob>" +
			"<Blob><Name>p/d</Name><Properties><Content-Length>0</Content-Length></Properties><Metadata><hdi_isfolder>true</hdi_isfolder></Metadata></Blob>" +
			"</Blobs><NextMarker/></EnumerationResults>"}}
		if _, err := ops.AskAccount(ctx, s, &s3.Call{}); err != nil {
			t.Fatal(err)
		}
		l := ops.Listing{Prefix: "p/"}
		if err := ops.List(ctx, s, &s3.Call{}, &l); err != nil || len(l.Entries) != 1 || l.Entries[0].Key != "p/e" { // of size 0, and no directory
			t.Error(l.Entries, err)
		}
		var doc ops.Document
		for name, err := range map[string]error{
			"tags":      ops.PutTag(ctx, s, &s3.Call{Key: "k"}, &doc, "k", 1),
			"versions":  ops.List(ctx, s, &s3.Call{}, &ops.Listing{All: true}),
			"delimiter": ops.List(ctx, s, &s3.Call{}, &ops.Listing{Delimiter: "-"}),
		} {
			if err == nil || !strings.Contains(err.Error(), "in accounts with a hierarchical namespace") {
				t.Errorf("%s: %v", name, err)
			}
		}
		checkRequests(t, f, askAccount, askService, "GET "+box+"?comp=list&prefix=p%2F&restype=container&showonly=files")
	})
}

// TestDirectories are removed below a prefix, the deepest first; one that holds anything stays, and so does what only looks alike.
func TestDirectories(t *testing.T) {
	const list = "GET " + box + "?comp=list&"
	dirs := func(next string, names ...string) answer {
		text := "<EnumerationResults><Blobs>"
		for _, n := range names {
			text += "<Blob><Name>" + n + "</Name><Properties><ResourceType>directory</ResourceType></Properties></Blob>"
		}
		return answer{200, "", text + "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>"}
	}
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		ctx := t.Context()
		if err := ops.RemoveDirectories(ctx, s, "r/x/"); err != nil || len(f.Requests) > 0 {
			t.Errorf("without a hierarchical namespace: %v, %v", f.Requests, err)
		}
		f.Answers = []answer{
			hierarchical, retention, dirs("m", "r/x", "r/x/a", "r/x2"), dirs("", "r/x/a/b"),
			{202, "", ""},
			{409, "x-ms-error-code: DirectoryIsNotEmpty", ""},
			{404, "x-ms-error-code: BlobNotFound", ""},
		}
		if _, err := ops.AskAccount(ctx, s, &s3.Call{}); err != nil {
			t.Fatal(err)
		}
		if err := ops.RemoveDirectories(ctx, s, "r/x/"); err != nil {
			t.Error(err)
		}
		checkRequests(t, f, askAccount, askService,
			list+"prefix=r%2Fx&restype=container&showonly=directories", list+"marker=m&prefix=r%2Fx&restype=container&showonly=directories",
			"DELETE "+box+"/r/x/a/b", "DELETE "+box+"/r/x/a", "DELETE "+box+"/r/x")
		if err := ops.RemoveDirectories(ctx, s, ""); err != nil { // of all that there is
			t.Error(err)
		}
	})
}

// TestCurrentVersion can be deleted only once it is not the current one.
func TestCurrentVersion(t *testing.T) {
	refused := answer{403, "x-ms-error-code: OperationNotAllowedOnRootBlob", ""}
	seen := answer{200, `ETag: "e"`, ""}
	kept := answer{202, "x-ms-delete-type-permanent: false", ""}
	gone := answer{202, "x-ms-delete-type-permanent: true", ""}
	sent := []string{
		"DELETE " + box + "/k?versionid=v2", "HEAD " + box + "/k?versionid=v2", `DELETE ` + box + `/k If-Match="e" X-Ms-Delete-Snapshots=include`,
		"DELETE " + box + "/k?versionid=v2",
	}
	part := "--b1\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\nHTTP/1.1 403 no\r\nx-ms-error-code: OperationNotAllowedOnRootBlob\r\n\r\n--b1--"
	for name, tc := range map[string]struct {
		do      func(ctx context.Context, s s3.Session) error
		answers []answer
		sent    []string
	}{
		"one": {
			func(ctx context.Context, s s3.Session) error {
				return ops.Delete(ctx, s, &s3.Call{Key: "k", Version: "v2"})
			},
			[]answer{refused, seen, kept, gone},
			sent,
		},
		"that somebody replaces": {
			func(ctx context.Context, s s3.Session) error {
				c := s3.Call{Key: "k", Version: "v2"}
				err := ops.Delete(ctx, s, &c)
				if c.Requests != len(sent) {
					t.Errorf("%d requests", c.Requests)
				}
				return err
			},
			[]answer{refused, seen, {412, "x-ms-error-code: ConditionNotMet", ""}, gone},
			sent,
		},
		"in a batch": {
			func(ctx context.Context, s s3.Session) error {
				return ops.DeleteMany(ctx, s, &s3.Call{}, &ops.Deletion{Objects: []ops.ObjectID{{Key: "k", Version: "v2"}}})
			},
			[]answer{{202, "Content-Type: multipart/mixed; boundary=b1", part}, seen, kept, gone},
			append([]string{"POST " + box + "?comp=batch&restype=container"}, sent[1:]...),
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
				f.Answers = slices.Clone(tc.answers)
				if err := tc.do(t.Context(), s); err != nil {
					t.Error(err)
				}
				checkRequests(t, f, tc.sent...)
				if state, err := ops.GetVersioning(t.Context(), s, &s3.Call{}); state != ops.VersioningEnabled || err != nil {
					t.Errorf("versions: %q, %v", state, err)
				}
				if text := ops.Remarks(s); len(text) > 0 { // versions are no deleted blobs
					t.Error(text)
				}
			})
		})
	}
}

func TestSoftDelete(t *testing.T) {
	for permanent, want := range map[string]int{"true": 0, "false": 1} {
		eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
			f.Answers = []answer{{202, "x-ms-delete-type-permanent: " + permanent, ""}}
			if err := ops.Delete(t.Context(), s, &s3.Call{Key: "k"}); err != nil {
				t.Error(err)
			}
			if got := ops.Remarks(s); len(got) != want || want > 0 && !strings.Contains(fmt.Sprint(got), "soft delete") {
				t.Errorf("%s: %v", permanent, got)
			}
		})
	}
}
