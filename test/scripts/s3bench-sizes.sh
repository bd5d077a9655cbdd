for s in 1024 65536; do s3bench -accessKey $AK -accessSecret $SK -endpoint $EP -bucket sizes -region us-east-1 -objectSize $s -numSamples 8 -numClients 2 -objectNamePrefix size-$s; done
