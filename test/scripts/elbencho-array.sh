#!/bin/bash
export AWS_ACCESS_KEY_ID=$AK AWS_SECRET_ACCESS_KEY=$SK
S=(4k 64k)
for ((i=0; i<${#S[@]}; i++)); do
  elbencho --s3endpoints $URL -d -w -r -F -t 2 -N 5 -s ${S[i]} -b ${S[i]} bkt$i
done
