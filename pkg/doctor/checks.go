package doctor

import (
	"slices"

	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/probe"
)

// check is one entry of the table of checks.
type check struct {
	group, name, right string
	object             bool // it needs objects that can be put, and deleted again
	try                func(t *trial) verdict
}

// configured is a check by a row of the table that runs use too, with other options of uploads.
func configured(group, name string, c *probe.Capability, u s3.Uploads) check {
	return check{group, name, c.Right, true, func(t *trial) verdict { return t.probeWith(c, u) }}
}

// Groups of checks that no capability belongs to.
const (
	groupNeeded   = "Needed by benchmarks"
	groupChecksum = "Checksums"
	groupSecurity = "Encryption and signatures"
)

const checkSignature = "wrong signatures are refused"

// special are checks of capabilities that are not tried on the object alone.
var special = map[*probe.Capability]func(t *trial) verdict{
	probe.Parts:        tryParts,
	probe.CopyPart:     ofParts(probe.CopyPart),
	probe.PartNumber:   ofParts(probe.PartNumber),
	probe.SignedGet:    tryPresigned,
	probe.Versions:     versioned(probe.Versions),
	probe.ListVersions: versioned(probe.ListVersions),
	probe.Retention:    locked(probe.Retention),
	probe.LegalHold:    locked(probe.LegalHold),
}

// capabilities are the checks of a group, at S3, by rows of the table that runs use too.
func capabilities(group string) (list []check) {
	amazon := connect.Dialect(&s3.Config{})
	for _, c := range probe.All() {
		if c.Group != group || amazon.Lacks(c.Verb()) != "" {
			continue
		}
		try := special[c]
		if try == nil {
			try = func(t *trial) verdict { return t.probe(c) }
		}
		list = append(list, check{group, c.Name, c.Right, true, try})
	}
	return list
}

// checks are all checks in their order. Each may use what those before it made.
var checks = slices.Concat(
	needed,
	capabilities(probe.Uploads), uploads,
	capabilities(probe.Downloads),
	capabilities(probe.Listings),
	capabilities(probe.Tags), bucket,
	capabilities(probe.Versioned),
	checksums,
	security,
)

var needed = []check{
	{groupNeeded, "put", "s3:PutObject", true, tryPut},
	{groupNeeded, "stat", "s3:GetObject", true, tryStat},
	{groupNeeded, "get", "s3:GetObject", true, tryGet},
	{groupNeeded, "list", "s3:ListBucket", false, tryList},
	{groupNeeded, "delete", "s3:DeleteObject", true, tryDelete},
}

var uploads = []check{
	{probe.Uploads, "list unfinished uploads", "s3:ListBucketMultipartUploads", true, tryListUploads},
	{probe.Uploads, "abort an upload", "s3:AbortMultipartUpload", true, tryAbort},
	{probe.Uploads, "--acl=private", "s3:PutObjectAcl", true, tryPutACL},
	{probe.Uploads, "--add-metadata", "s3:PutObject", true, tryMetadata},
	{probe.Uploads, "--storage-class=STANDARD", "s3:PutObject", true, tryStorageClass},
	{probe.Uploads, "--tag", "s3:PutObjectTagging", true, tryTaggedPut},
}

var bucket = []check{
	{probe.Tags, "head-bucket", "s3:ListBucket", false, tryHeadBucket},
	{probe.Tags, "directory bucket (CreateSession)", "s3express:CreateSession", false, trySession},
	{probe.Tags, "versioning state", "s3:GetBucketVersioning", false, tryVersioning},
	{probe.Tags, "object lock state", "s3:GetBucketObjectLockConfiguration", false, tryLock},
}

var checksums = []check{
	{groupChecksum, "--md5", "s3:PutObject", true, withSum(s3.Uploads{MD5: true}, checksum.MD5)},
	{groupChecksum, "--checksum=CRC32", "s3:PutObject", true, withSum(s3.Uploads{Checksum: "CRC32"}, checksum.Find("CRC32"))},
	{groupChecksum, "--checksum=CRC32C", "s3:PutObject", true, withSum(s3.Uploads{Checksum: "CRC32C"}, checksum.Find("CRC32C"))},
	{groupChecksum, "--checksum=CRC64NVME", "s3:PutObject", true, withSum(s3.Uploads{Checksum: "CRC64NVME"}, checksum.Find("CRC64NVME"))},
	{groupChecksum, "--checksum=SHA1", "s3:PutObject", true, withSum(s3.Uploads{Checksum: "SHA1"}, checksum.Find("SHA1"))},
	{groupChecksum, "--checksum=SHA256", "s3:PutObject", true, withSum(s3.Uploads{Checksum: "SHA256"}, checksum.SHA256)},
	configured(groupChecksum, "--checksum-trailer", probe.Stored, s3.Uploads{Checksum: "CRC32C", Trailer: true}),
	configured(groupChecksum, "multipart-put --checksum=CRC32C", probe.Parts, s3.Uploads{Checksum: "CRC32C"}),
	configured(groupChecksum, "multipart-put --checksum=CRC64NVME", probe.Parts, s3.Uploads{Checksum: "CRC64NVME"}),
	configured(groupChecksum, "multipart-put --checksum=SHA256", probe.Parts, s3.Uploads{Checksum: "SHA256"}),
	configured(groupChecksum, "copy --part.size --checksum=CRC32C", probe.CopyPart, s3.Uploads{Checksum: "CRC32C"}),
}

var security = []check{
	configured(groupSecurity, "--payload=signed", probe.Stored, s3.Uploads{Payload: s3.PayloadSigned}),
	configured(groupSecurity, "--payload=streaming", probe.Stored, s3.Uploads{Payload: s3.PayloadStreaming}),
	configured(groupSecurity, "--sse-s3", probe.Stored, s3.Uploads{Encryption: s3.SSES3}),
	configured(groupSecurity, "--sse-kms", probe.Stored, s3.Uploads{Encryption: s3.SSEKMS}),
	{groupSecurity, "--encrypt (SSE-C)", "s3:PutObject", true, trySseC},
	{groupSecurity, checkSignature, "none", false, tryWrongSecret},
}
