#!/bin/sh
# As the manual starts it, with options in both forms.
HOST=http://127.0.0.1:9000
java -Xmx1g -jar /opt/object-store-bench-1.0.jar bench \
  --base-uri=$HOST --bucket data --s3-access-key=minio --s3-secret-key minio123 --implementation awsNetty \
  --http-max-concurrency=20 --http-read-timeout=PT10S --virtual-threads --stats-interval=PT0.5S \
  --script='
    PUT 100 OBJECTS OF SIZE 64 KB;
    GET AT RATE 50 PER SECOND RUNTIME 10 SECONDS;
    GET MAX 50 CONCURRENT RUNTIME 10 SECONDS;
    DELETE;
  '
