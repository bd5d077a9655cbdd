LOG=run-$(hostname -s)-$(date +%F-%H%M).txt; warp put --host=$H --access-key=$AK --secret-key=$SK --obj.size=4KiB --concurrent=2 --duration=${D:-60}s > $LOG 2>&1
