#!/bin/bash
echo 3 > /proc/sys/vm/drop_caches; sleep 0.1
hsbench -a $AK -s $SK -u $URL -m ip -z 1K -n 20 -d 5 -bp side-a -op a_ -o a.csv &
hsbench -a $AK -s $SK -u $URL -m ip -z 1K -n 20 -d 5 -bp side-b -op b_ -o b.csv &
wait
echo "both are done"
