#!/bin/bash
export WARP_ACCESS_KEY=$AK WARP_SECRET_KEY=$SK
for r in $(seq 2); do
  for o in put stat; do
    warp $o --host $H --bucket loop-$o --benchdata r-$o-$r --noclear --duration ${D}s --obj.size 1KiB --concurrent 2 $( [ $o = stat ] && echo --objects 10 ) > /dev/null
  done
done
warp analyze r-put-1.csv.zst > report.txt
aws s3 rm --recursive s3://loop-put
