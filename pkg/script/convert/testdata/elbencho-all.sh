elbencho --s3endpoints http://gw-a:9000,http://gw-b:9000 --s3key=lab --s3secret labsecret --s3sign 1 --s3objprefix 'run/%%%%-' \
  --hosts n[1,2] -t 8 -n 0 -N 100 -s 4m -b 1m -i 3 --phasedelay 5 --verify 7 --blockvarpct 40 \
  -dwrFD --stat --s3listobj 100 --rand --limitread 100m --nolive s3://lab-[1-3]
