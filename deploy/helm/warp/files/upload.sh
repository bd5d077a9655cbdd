# After the upload, the pod ends as the benchmark did.
"$@" || exit
read -r status </tmp/status
exit "$status"
