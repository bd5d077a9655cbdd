#!/bin/bash
# Single modes, one after the other, on the same names.
HS="/usr/local/bin/hsbench -a $AK -s $SK -u $URL -z 4K -t 4 -bp steps -b 2"
$HS -m cxi
$HS -m p -n $N
$HS -m g -n $N -d $D
$HS -m l -d $D
$HS -m d -n $N
$HS -m cx
