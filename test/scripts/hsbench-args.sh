#!/bin/sh
exec hsbench -a $AK -s $SK -u $URL "$@"
