#!/bin/bash
# Sizes and threads are in a file; the figures are collected with awk.
cd "$(dirname "$0")"
while read -r size threads; do
  [[ $size == \#* ]] && continue
  for mode in p g; do
    case $mode in
      p) args="-m ip -n 10" ;;
      g) args="-m g -n 10 -d 1" ;;
    esac
    hsbench -a $AK -s $SK -u $URL -bp sizes-$(echo $size | tr -d 'K') -z $size -t $threads $args | awk -F, '/TOTAL/ {print $4, $6}'
  done
done < sizes.txt | tee summary.txt
