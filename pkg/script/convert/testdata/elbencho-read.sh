elbencho --s3endpoints https://gw:443 --s3region eu-north-1 -r -t16 -N 1000 -n 10 -s 64k -b 64k --infloop --timelimit 60 --dirsharing lab
