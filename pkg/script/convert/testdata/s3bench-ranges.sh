s3bench -operations=ranges -rangeSize=4096 -numRequests=500 -numSamples=1 -numClients=8 -bucket=b -endpoint=http://h:80
