#!/bin/bash
BS=4
cat > j.fio <<FIO
[global]
ioengine=http
http_mode=s3
http_host=${H}
http_s3_key=${SK}
http_s3_keyid=${AK}
filename=/fio/obj
bs=${BS}k
size=16k
[create]
rw=write
[read]
stonewall
rw=read
FIO
fio j.fio --output r.txt
rm j.fio
