# Of passes that rewrite the step, against programs built without them: sourced by the test of them, after tap.sh. It leaves the
# caller in $work. `spec LAYERS` prints a network, whose programs are built in the folders with and without.
specs=$top_srcdir/specs
# Many programs that run for an instant; e2e.test has them as users do. Every make check has a few cases of
# each pass, the extended run all, and the check builds too. Most of the time is the compiler's: every make check sees what
# is emitted of each case, and trains those of one kind as one network, with all of their passes and without any.
find_quick_cc
export MAKEFLAGS="CFLAGS=-O0 CC=$quick_cc" STOWAGE_MAKEFLAGS="CFLAGS=-O0 CC=$quick_cc" epochs=1
cd "$work" && mkdir emitted plans || exit 99

# Class k has a bright row k; every pixel is one of a few integers, of either sign.
awk 'BEGIN {
	srand(7)
	for (i = 0; i < 80; i++) {	# the last batch is not a full one
		k = i % 4
		for (p = 0; p < 144; p++)
			printf "%d,", int(rand() * 5) - 3 + (int(p / 12) == 2 * k + 1 ? 2 : 0)
		print k
	}
}' > bars.csv

spec() { # LAYERS
	cat <<-EOF
	network net {
	  input  image : f32[1, 12, 12]
	  target class : class[4]
	  logits = image -> $1 -> flatten -> dense(4)
	  loss   cross_entropy(logits, class)
	  metric accuracy(logits, class)
	}
	train {
	  batch     24
	  epochs    $epochs
	  optimizer sgd(lr=0.05, momentum=0.9)
	  data      csv("bars.csv", skip_every=5)
	}
	validate { batch 24  data csv("bars.csv", keep_every=5) }
	EOF
}

# FOLDER OPTION...: the program of net.nn, which is emitted once with these options
emit() {
	folder=$1
	shift
	text=emitted/$(echo "$*" | cat - net.nn | cksum | tr ' ' -)
	[ -d "$text" ] || { "$STOWAGE" emit --target c --threads 2 "$@" -o "$text.new/" net.nn && mv "$text.new" "$text"; } || return
	rm -rf "$folder" && cp -R "$text" "$folder"
}

# Builds net.nn in folder $1 with the options that follow, trains, leaves $1.st and $1.losses, which are numbers: all
# that are none would be alike.
trained() {
	folder=$1
	emit "$@" &&
		program=kept/$(cksum < "$folder/net.c" | tr ' ' -) || return 1
	if [ -d "$program" ] && cmp "$program/net.c" "$folder/net.c"; then	# trained before
		cp "$program/net" "$folder/" && cp "$program.st" "$folder.st" &&
			cp "$program.losses" "$folder.losses"
		return
	fi
	make -s -C "$folder" && rm -f "$folder.jsonl" &&
		"./$folder/net" --quiet --seed 3 --save "$folder.st" --log "$folder.jsonl" &&
		sed -n 's/.*"\(loss\|validation_loss\)":\([^,}]*\).*/\2/p' "$folder.jsonl" > "$folder.losses" &&
		[ -s "$folder.losses" ] && ! grep -v '^[-0-9.e+]*$' "$folder.losses" && mkdir -p kept && cp -R "$folder" "$program" &&
		cp "$folder.st" "$program.st" && cp "$folder.losses" "$program.losses"
}

# The check build of the program that was trained finds nothing read that is not there.
is_clean() {
	make -s -C with CHECK=1 CFLAGS=-O0 && ./with/net-check --quiet --epochs 1
}

is_clean_too() {
	! extended || is_clean
}

planned() { # FIELD OPTION...: a number of the plan of net.nn, which is made once for all numbers of it
	field=$1
	shift
	plan=plans/$(echo "$*" | cat - net.nn | cksum | tr ' ' -)
	[ -s "$plan" ] || {
		"$STOWAGE" plan --target c --threads 2 --format json "$@" net.nn > "$plan"
	} || return
	sed -n "s/.*\"$field\": *\([0-9]*\).*/\1/p" "$plan"
}

# bytes of the plan beside what is persistent, nothing being made again, in the order as it comes
transient() { # OPTIONS
	planned transient_bytes --without=recompute --without=order "$@"
}

# net.nn, in the folders with and without.
emitted() { # PASS...
	emit with && emit without $(printf ' --without=%s' "$@")
}

# What is to be seen of the training of net.nn is seen at the end, where those of one kind are one network.
aside() { # KIND PASS...
	kind=$1 number=$((${number:-0} + 1))
	shift
	mkdir -p "$kind" && sed "s/^network net/network n$number/" net.nn > "$kind/$number.nn" &&
		printf '%s\n' "$@" >> "$kind/passes"
}

# The weights after training and every loss on the way are the same bits with the passes and without them.
alike() { # PASS...
	if extended; then
		trained_alike "$@"
	else
		emitted "$@" && { [ -e "$(seen)" ] || aside bits "$@"; }
	fi
}

seen() { # the file that says that net.nn is trained with and without all that is to change no bit of it
	echo "seen.$(cksum < net.nn | tr ' ' -)"
}

trained_alike() { # PASS...
	trained with && trained without $(printf ' --without=%s' "$@") && cmp with.st without.st &&
		cmp with.losses without.losses
}

# The networks that were put aside: what stands in each, of one input and one target, under names of its own.
all_of() { # KIND SETTINGS
	grep -h '^block' "$1"/*.nn | sort -u
	awk -v name=net -f "$top_srcdir/tests/program/together.awk" "$1"/*.nn |
		sed '/^  metric/d; $d; s/\<\(image\|class\)_n[0-9]*\>/\1/g' | awk '!/^  *(input|target)/ || !seen[$0]++'
	cat <<-EOF
	train    { batch 24  data csv("bars.csv", skip_every=5)  $2 }
	validate { batch 24  data csv("bars.csv", keep_every=5) }
	EOF
}

# Each of the passes has something to do in it.
each_does() { # KIND
	sort -u "$1/passes" > passes && while read -r pass; do
		emit with && emit without --without="$pass" && ! cmp -s with/net.c without/net.c || { echo "$pass does nothing"; return 1; }
	done < passes
}

# The weights after training and every loss on the way are the same bits, and the plan is smaller.
same_bits() { # PASS LAYERS
	spec "$2" > net.nn
	same_bits_of "$1"
}

same_bits_of() { # PASS
	alike "$1" && echo "$(transient) $(transient --without="$1")" | tee /dev/stderr |
		awk '{ exit !($1 < $2) }'
}
