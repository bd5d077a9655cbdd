#!/bin/bash
# A load for as long as it takes.
i=0
for ((;;)); do
  ((++i))
  sudo nice -n -5 timeout 1h hsbench -a $AK -s $SK -u $URL -z 1K -t 2 -n 10 -d 5 -m ipd -bp endless > run-$i.log || break
  [ $i -lt ${ROUNDS:-1000} ] || break
done
echo "$i rounds"
