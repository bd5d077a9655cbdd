package doctor

import (
	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
)

// check is one entry of the table of checks.
type check struct {
	group, name, right string
	object             bool // it needs objects that can be put, and deleted again
	try                func(t *trial) verdict
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

	{groupWrite, "delete --batch (multi-delete)", "s3:DeleteObject", true, tryMultiDelete},
	{groupWrite, "multipart-put", "s3:PutObject", true, tryMultipart},
	{groupWrite, "list unfinished uploads", "s3:ListBucketMultipartUploads", true, tryListUploads},
	{groupWrite, "abort an upload", "s3:AbortMultipartUpload", true, tryAbort},
	{groupWrite, "copy", "s3:PutObject", true, tryCopy},
	{groupWrite, "copy --part.size", "s3:PutObject", true, tryCopyPart},
	{groupWrite, "append (write offset)", "s3:PutObject", true, tryAppend},
	{groupWrite, "put --post", "s3:PutObject", true, tryPost},
	{groupWrite, "put --presign", "s3:PutObject", true, tryPresignedPut},
	{groupWrite, "snowball (MinIO)", "s3:PutObject", true, tryArchive},
	{groupWrite, "fanout (MinIO)", "s3:PutObject", true, tryFanOut},
	{groupWrite, "conditional put (If-None-Match)", "s3:PutObject", true, tryPutIfNoneMatch},
	{groupWrite, "conditional put (If-Match)", "s3:PutObject", true, tryPutIfMatch},
	{groupWrite, "conditional delete (If-Match)", "s3:DeleteObject", true, tryDeleteIfMatch},
	{groupWrite, "--acl=private", "s3:PutObjectAcl", true, tryPutACL},
	{groupWrite, "--add-metadata", "s3:PutObject", true, tryMetadata},
	{groupWrite, "--storage-class=STANDARD", "s3:PutObject", true, tryStorageClass},
	{groupWrite, "--tag", "s3:PutObjectTagging", true, tryTaggedPut},

	{groupRead, "get --range", "s3:GetObject", true, tryGetRange},
	{groupRead, "get by part number", "s3:GetObject", true, tryGetPart},
	{groupRead, "conditional get (If-None-Match)", "s3:GetObject", true, tryGetIfNoneMatch},
	{groupRead, "conditional get (If-Match)", "s3:GetObject", true, tryGetIfMatch},
	{groupRead, "presigned get", "s3:GetObject", true, tryPresigned},
	{groupRead, "zip (MinIO)", "s3:GetObject", true, tryZip},
	{groupRead, "attributes", "s3:GetObjectAttributes", true, tryAttributes},
	{groupRead, "acl", "s3:GetObjectAcl", true, tryACL},

	{groupList, "version 1", "s3:ListBucket", true, tryListV1},
	{groupList, "pages (max-keys)", "s3:ListBucket", true, tryListPages},
	{groupList, "start-after", "s3:ListBucket", true, tryStartAfter},
	{groupList, "delimiter", "s3:ListBucket", true, tryDelimiter},
	{groupList, "versions", "s3:ListBucketVersions", true, tryListVersions},
	{groupList, "metadata (MinIO)", "s3:ListBucket", true, tryListMetadata},

	{groupObject, "tag (put)", "s3:PutObjectTagging", true, tryPutTags},
	{groupObject, "tag (get)", "s3:GetObjectTagging", true, tryGetTags},
	{groupObject, "tag (delete)", "s3:DeleteObjectTagging", true, tryDeleteTags},
	{groupObject, "head-bucket", "s3:ListBucket", false, tryHeadBucket},
	{groupObject, "directory bucket (CreateSession)", "s3express:CreateSession", false, trySession},
	{groupObject, "versioning state", "s3:GetBucketVersioning", false, tryVersioning},
	{groupObject, "object lock state", "s3:GetBucketObjectLockConfiguration", false, tryLock},

	{groupVersions, "versioned", "s3:GetObjectVersion, s3:DeleteObjectVersion", true, tryVersions},
	{groupVersions, "retention", "s3:PutObjectRetention, s3:GetObjectRetention, s3:BypassGovernanceRetention", true, tryRetention},
	{groupVersions, "legal-hold", "s3:PutObjectLegalHold, s3:GetObjectLegalHold", true, tryLegalHold},

	{groupChecksum, "--md5", "s3:PutObject", true, withSum(checksum.MD5)},
	{groupChecksum, "--checksum=CRC32", "s3:PutObject", true, withSum(checksum.Find("CRC32"))},
	{groupChecksum, "--checksum=CRC32C", "s3:PutObject", true, withSum(checksum.Find("CRC32C"))},
	{groupChecksum, "--checksum=CRC64NVME", "s3:PutObject", true, withSum(checksum.Find("CRC64NVME"))},
	{groupChecksum, "--checksum=SHA1", "s3:PutObject", true, withSum(checksum.Find("SHA1"))},
	{groupChecksum, "--checksum=SHA256", "s3:PutObject", true, withSum(checksum.SHA256)},
	{groupChecksum, "--checksum-trailer", "s3:PutObject", true, withUploads("trailer", s3.Uploads{Checksum: "CRC32C", Trailer: true})},

	{groupSecurity, "--payload=signed", "s3:PutObject", true, withUploads("signed", s3.Uploads{Payload: s3.PayloadSigned})},
	{groupSecurity, "--payload=streaming", "s3:PutObject", true, withUploads("streaming", s3.Uploads{Payload: s3.PayloadStreaming})},
	{groupSecurity, "--sse-s3", "s3:PutObject", true, encrypted("sse-s3", s3.SSES3)},
	{groupSecurity, "--sse-kms", "s3:PutObject", true, encrypted("sse-kms", s3.SSEKMS)},
	{groupSecurity, "--encrypt (SSE-C)", "s3:PutObject", true, trySseC},
	{groupSecurity, checkSignature, "none", false, tryWrongSecret},
}
