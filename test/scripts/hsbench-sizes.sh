for s in 4K 64K 1M; do hsbench -a $AK -s $SK -u $URL -z $s -t 2 -n ${N:-1000} -d ${D:-30} -m cxipgdx -o $s.csv; done
