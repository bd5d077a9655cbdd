pdsh -w h1,h2 /opt/elbencho/elbencho --s3endpoints $URL --s3key $AK --s3secret $SK -w -t 2 -n 0 -N 5 -s 4m -b 4m bkt
