# wait_for SECONDS COUNT FIRST NAME SERVICE: until COUNT clients, NAME-FIRST.SERVICE and on, take connections on port 7761.
wait_for() {
	end=$(($("$busybox" date +%s) + $1))
	i=$3
	while [ "$i" -lt "$(($2 + $3))" ]; do
		if why=$("$busybox" nc -z -w 2 "$4-$i.$5" 7761 2>&1); then
			i=$((i + 1))
		elif [ "$("$busybox" date +%s)" -ge "$end" ]; then
			echo "after $1 s client $4-$i cannot be reached; \"kubectl describe pod $4-$i\" may say why. $why" >&2
			exit 1
		else
			"$busybox" sleep 1
		fi
	done
	echo "all $2 clients can be reached" >&2
}
