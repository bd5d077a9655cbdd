#!/bin/sh
bin/ycsb load s3 -P workloada -p table=ycsb -p s3.endPoint=$H -p s3.protocol=HTTP -p s3.accessKeyId=$AK -p s3.secretKey=$SK -threads 2 -s | tee load.log
bin/ycsb run s3 -P workloada -p table=ycsb -p s3.endPoint=$H -p s3.protocol=HTTP -p s3.accessKeyId=$AK -p s3.secretKey=$SK -threads 2 -target 500 -s | tee run.log
