#!/bin/bash
set -e
DIR=results/$(date +%Y%m%d)
mkdir -p $DIR
export AWS_ACCESS_KEY_ID=$AK AWS_SECRET_ACCESS_KEY=$SK
echo "host: $(hostname -s), $(nproc) CPUs" > $DIR/about.txt
for t in 1 $(nproc); do
  sync; echo 3 > /proc/sys/vm/drop_caches
  hsbench -u $URL -z 4k -t $t -n $N -d ${D:-5} -m ipgd -o $DIR/result-$t-$(date +%F).csv | tee -a $DIR/all.log
done
mv *.json $DIR/ 2>/dev/null || true
