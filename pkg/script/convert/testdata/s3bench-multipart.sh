docker run --rm andypern/s3bench -endpoint=https://s3.us-west-2.amazonaws.com -region us-west-2 -bucket=big -multipart \
  -partSize=$((8<<20)) -multiUploaders=3 -operations=both -numClients=4 -numSamples=20 -objectSize=$((64*1024*1024)) -skipCleanup -disableMD5=false
