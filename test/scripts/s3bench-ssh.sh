#!/bin/bash
HOSTS=(node1 node2)
for h in "${HOSTS[@]}"; do
  ssh -o StrictHostKeyChecking=no root@$h "nohup numactl -N 0 s3bench -accessKey $AK -accessSecret $SK -endpoint $EP -bucket $h-b -region us-east-1 \
    -objectNamePrefix=$h -numSamples 6 -numClients 2 -objectSize \$((4*1024)) -operations write" 2>/dev/null
done
