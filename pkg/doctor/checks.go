package doctor

import (
	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/probe"
)

// check is one entry of the table of checks.
type check struct {
	group, name, right string
	object             bool // it needs objects that can be put, and deleted again
	try                func(t *trial) verdict
}

// shared is a check by a row of the table that runs use too, on an object.
func shared(group string, c *probe.Capability) check {
	return check{group, c.Name, c.Right, true, func(t *trial) verdict { return t.probe(c) }}
}

// configured is a check by such a row with other options of uploads.
func configured(group, name string, c *probe.Capability, u s3.Uploads) check {
	return check{group, name, c.Right, true, func(t *trial) verdict { return t.probeWith(c, u) }}
}

// Groups of checks.
const (
	groupNeeded   = "Needed by benchmarks"
	groupWrite    = "Uploads"
	groupRead     = "Downloads"
	groupList     = "Listings"
	groupObject   = "Tags and the bucket"
	groupVersions = "Versions and locks"
	groupChecksum = "Checksums"
	groupSecurity = "Encryption and signatures"
)

const checkSignature = "wrong signatures are refused"

// checks are all checks in their order. Each may use what those before it made.
var checks = []check{
	{groupNeeded, "put", "s3:PutObject", true, tryPut},
	{groupNeeded, "stat", "s3:GetObject", true, tryStat},
	{groupNeeded, "get", "s3:GetObject", true, tryGet},
	{groupNeeded, "list", "s3:ListBucket", false, tryList},
	{groupNeeded, "delete", "s3:DeleteObject", true, tryDelete},

	shared(groupWrite, probe.MultiDelete),
	{groupWrite, probe.Parts.Name, probe.Parts.Right, true, tryParts},
	{groupWrite, "list unfinished uploads", "s3:ListBucketMultipartUploads", true, tryListUploads},
	{groupWrite, "abort an upload", "s3:AbortMultipartUpload", true, tryAbort},
	shared(groupWrite, probe.Copy),
	{groupWrite, probe.CopyPart.Name, probe.CopyPart.Right, true, ofParts(probe.CopyPart)},
	shared(groupWrite, probe.Append),
	shared(groupWrite, probe.Form),
	shared(groupWrite, probe.SignedPut),
	shared(groupWrite, probe.Snowball),
	shared(groupWrite, probe.FanOut),
	shared(groupWrite, probe.PutIfNone),
	shared(groupWrite, probe.PutIfMatch),
	shared(groupWrite, probe.DeleteIfMatch),
	{groupWrite, "--acl=private", "s3:PutObjectAcl", true, tryPutACL},
	{groupWrite, "--add-metadata", "s3:PutObject", true, tryMetadata},
	{groupWrite, "--storage-class=STANDARD", "s3:PutObject", true, tryStorageClass},
	{groupWrite, "--tag", "s3:PutObjectTagging", true, tryTaggedPut},

	shared(groupRead, probe.Range),
	{groupRead, probe.PartNumber.Name, probe.PartNumber.Right, true, ofParts(probe.PartNumber)},
	shared(groupRead, probe.GetIfNone),
	shared(groupRead, probe.GetIfMatch),
	shared(groupRead, probe.StatIfNone),
	shared(groupRead, probe.StatIfMatch),
	{groupRead, probe.SignedGet.Name, probe.SignedGet.Right, true, tryPresigned},
	shared(groupRead, probe.Zip),
	shared(groupRead, probe.Attributes),
	shared(groupRead, probe.ACL),

	shared(groupList, probe.ListFirst),
	shared(groupList, probe.ListPages),
	shared(groupList, probe.StartAfter),
	shared(groupList, probe.Delimiter),
	shared(groupList, probe.ListMetadata),

	shared(groupObject, probe.PutTags),
	shared(groupObject, probe.GetTags),
	shared(groupObject, probe.DeleteTags),
	{groupObject, "head-bucket", "s3:ListBucket", false, tryHeadBucket},
	{groupObject, "directory bucket (CreateSession)", "s3express:CreateSession", false, trySession},
	{groupObject, "versioning state", "s3:GetBucketVersioning", false, tryVersioning},
	{groupObject, "object lock state", "s3:GetBucketObjectLockConfiguration", false, tryLock},

	{groupVersions, probe.Versions.Name, probe.Versions.Right, true, versioned(probe.Versions)},
	{groupVersions, probe.ListVersions.Name, probe.ListVersions.Right, true, versioned(probe.ListVersions)},
	{groupVersions, probe.Retention.Name, probe.Retention.Right, true, locked(probe.Retention)},
	{groupVersions, probe.LegalHold.Name, probe.LegalHold.Right, true, locked(probe.LegalHold)},

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

	configured(groupSecurity, "--payload=signed", probe.Stored, s3.Uploads{Payload: s3.PayloadSigned}),
	configured(groupSecurity, "--payload=streaming", probe.Stored, s3.Uploads{Payload: s3.PayloadStreaming}),
	configured(groupSecurity, "--sse-s3", probe.Stored, s3.Uploads{Encryption: s3.SSES3}),
	configured(groupSecurity, "--sse-kms", probe.Stored, s3.Uploads{Encryption: s3.SSEKMS}),
	{groupSecurity, "--encrypt (SSE-C)", "s3:PutObject", true, trySseC},
	{groupSecurity, checkSignature, "none", false, tryWrongSecret},
}
