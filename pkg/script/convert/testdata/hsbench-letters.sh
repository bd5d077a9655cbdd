SIZE=64K
hsbench -u=http://$HOST:9000 -z $SIZE -n 1000 -t 4 -op "pre{fix}/" -m ippgl -l 2 -mk 100 -cl STANDARD_IA -zd
