#!/bin/bash
. ./config.sh
eval "hsbench -a $AK -s $SK -u $URL -z $SIZE -t $THREADS -n 10 -d 5 -m ipd" > sourced.log
bash -c "hsbench -a $AK -s $SK -u $URL -z $SIZE -t 1 -n 5 -d 5 -m ipd" >> sourced.log
