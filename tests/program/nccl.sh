# CUDA programs of several ranks that are emulated on this machine, started as torchrun would: sourced by the tests of them, after
# ranks.sh.
port=$((20000 + $$ % 20000))
unset RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK

start() { # N RANKS PROGRAM OPTION...: rank N of them
	N=$1 WORLD=$2
	shift 2
	env RANK="$N" WORLD_SIZE="$WORLD" LOCAL_RANK="$N" MASTER_ADDR=127.0.0.1 MASTER_PORT=$port EMULATED_CARDS="$WORLD" \
		"$@" > "out.$N" 2> "err.$N" < /dev/null &
	pids="$pids $!"
}

all_end() { # all well; else what they said
	status=0
	for pid in $pids; do
		wait "$pid" || status=$?
	done
	[ "$status" = 0 ] || tail -n 5 out.* err.*
	return "$status"
}

run() { # SPEC RANKS OPTION...
	name=$1 ranks=$2 pids=
	shift 2
	port=$((port + 1))
	if [ "$ranks" = 1 ]; then
		"$name-1/$name" "$@" > out1 2>&1
		return
	fi
	rm -f out.* err.*
	for r in $(seq "$ranks"); do
		start $((ranks - r)) "$ranks" "$name-$ranks/$name" "$@"
	done
	all_end && mv out.0 "out$ranks" && for f in out.*; do [ ! -s "$f" ] || return 1; done
}

alike_but_end() { # DIFFERENCE LOG LOG: the last line of a program for a GPU says more
	grep -v '"event":"end"' "$2" > log-a && grep -v '"event":"end"' "$3" > log-b && alike "$1" log-a log-b
}

env_of() { # VARIABLE COMMAND...: with it
	of=$1
	shift
	export "$of=1"
	"$@"
	env_status=$?
	unset "$of"
	return $env_status
}
early() {
	env_of EMULATED_EARLY "$@"
}
