# Of programs of several ranks, started by mpirun on this machine: sourced by the tests of them, after tap.sh. Where $by is
# nccl, specs and comparisons are of use, and nothing else.
cd "$work" || exit 99
[ "${by-}" = nccl ] || { command -v mpicc > /dev/null && command -v mpirun > /dev/null; } ||
	skip_all "there is no mpicc and mpirun (libopenmpi-dev, openmpi-bin): PROGRAMS OF SEVERAL RANKS ARE NOT TESTED"
quick_cc=${CC%% *}
find_quick_cc
# as root, and with more ranks than processors
export OMPI_CC="$quick_cc" MPICH_CC="$quick_cc" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none LSAN_OPTIONS=detect_leaks=0
# Open MPI keeps a run's files below one directory for all runs of a user, which each run makes where it is not and removes where
# it is empty: where one ends between what another makes and what that looks at, the other does not start. So each test has its own.
export OMPI_MCA_orte_tmpdir_base="$work"
# libraries for networks that this machine has no use for take a fifth of the time of a start
export OMPI_MCA_pml=^ucx,cm

cat > net.nn <<'END'
network net {
  input  x : f32[6]
  target t : class[5]
  h = x -> dense(16) -> tanh -> dropout(0.3) -> dense(8)
  y = h * uniform(h, low=0.5, high=1.5) + normal(std=0.1, shape=(8)) -> dense(5)
  loss cross_entropy(y, t, ignore=3, weights=(1, 2, 3, 1, 0.5))
  metric accuracy(y, t)
}
train    { batch 24  epochs 3  precision f64  clip 0.5  optimizer adamw(lr=1e-2)  data csv("x.csv") }
validate { batch 5  data csv("x.csv", keep_every=3) }
END
# 77 samples: the last batch of an epoch has 5
awk 'BEGIN {
	srand(5)
	for (i = 0; i < 77; i++) {
		for (j = 0; j < 6; j++)
			printf "%.4f,", rand() * 2 - 1
		print int(rand() * 5)
	}
}' > x.csv

shard=	# options of the programs that are built
build() { # SPEC RANKS [MAKE-ARGUMENT...]: in SPEC-RANKS/
	name=$1 ranks=$2
	shift 2
	"$STOWAGE" emit --target c --threads 2 --ranks "$ranks" $shard "$name.nn" -o "$name-$ranks/" &&
		if [ "$ranks" = 1 ]; then set -- "CC=$quick_cc" "$@"; fi &&
		make -s -C "$name-$ranks" CFLAGS=-O0 "$@"
}

run() { # SPEC RANKS OPTION...
	name=$1 ranks=$2
	shift 2
	if [ "$ranks" = 1 ]; then set -- "$name-1/$name" "$@"
	else set -- timeout 300 mpirun -n "$ranks" "$name-$ranks/$name" "$@"; fi
	"$@" > "out$ranks" 2> "err$ranks" < /dev/null || { s=$?; cat "out$ranks" "err$ranks"; return $s; }
}

# Every number of every line but of the time it took, within a relative difference
alike() { # DIFFERENCE LOG LOG
	awk -v most="$1" -F'[,:{}]' '
		NR == FNR { line[FNR] = $0; lines = FNR; next }
		{ n = split(line[FNR], a, /[,:{}]/); seen++ }
		n != NF { print "line " FNR ": " $0; bad = 1 }
		{
			for (i = 1; i <= NF; i++) {
				d = a[i] - $i
				if ($i ~ /seconds|planned|measured|growth/) break
				if (a[i] != $i && !(a[i] $i ~ /^[-+.0-9e]*$/ && d * d <= most * most * $i * $i)) {
					print "line " FNR ": " a[i] " and " $i; bad = 1
				}
			}
		}
		END { exit bad || seen != lines || seen < 3 }' "$2" "$3"
}

as_one() { # SPEC RANKS DIFFERENCE [OPTION...]: that many ranks have the losses of one, and each took what was planned
	spec=$1 count=$2 most=$3
	shift 3
	rm -f log1 "log$count"
	[ -x "$spec-1/$spec" ] || build "$spec" 1 || return
	build "$spec" "$count" && run "$spec" 1 --log log1 "$@" && run "$spec" "$count" --log "log$count" "$@" &&
		alike "$most" log1 "log$count" && grep "the same on each of $count ranks" "out$count" &&
		planned=$(sed -n 's/^planned *\([0-9]*\) bytes$/\1/p' "out$count") &&
		taken=$(sed -n 's/^measured *\([0-9]*\) bytes.*/\1/p' "out$count") &&
		[ "$taken" -ge "$planned" ] && [ "$taken" -lt $((planned + 4096)) ] && within_a_hundredth "out$count"
}

# What a rank sends is what was planned, and that is the lower bound of a ring but for what lies between gradients
within_a_hundredth() { # OUTPUT
	sed -n 's/^sent *\([0-9]*\) bytes .* \([0-9]*\) planned$/\1 \2/p' "$1" |
		awk '{ print; seen = $2 > 0 && $1 >= $2 * 0.99 && $1 <= $2 * 1.01 } END { exit !seen }'
}

# after 7 updates on 3 ranks, in the middle of an epoch
resumed() { # RANKS
	rm -f log0 log3 "log$1"
	[ -x "net-$1/net" ] || build net "$1" || return
	run net 3 --steps 12 --log log3 && run net 3 --steps 7 --save c.st && run net "$1" --steps 12 --resume c.st \
		--log "log$1" && grep '"update":12,' log3 > whole && grep '"update":12,' "log$1" > rest && echo >> whole &&
		echo >> rest && alike 1e-9 whole rest
}
long=net	# what is started and then ended, on 3 ranks
rank() { # PROCESS N: of the ranks that this mpirun has started, the N-th
	ps -o pid= -o args= --ppid "$1" | awk -v n="$2" -v of="$long-3/$long" 'index($0, of) && ++seen == n { print $1 }'
}

# Starts a long run, and waits until it has saved twice, so all ranks know of the first: has another file, or, if this is
# the first that is seen, one from after the $known-th update
known=1000000
updates_of() { # FILE: after how many updates it was saved
	head -c 4096 "$1" | sed -n 's/.*"update":"\([0-9]*\)".*/\1/p' | head -n 1
}
begin() { # OPTION...
	first=
	rm -f k.st
	mpirun -n 3 "$long-3/$long" --epochs 1000000 --save k.st "$@" > out 2> err < /dev/null &
	run=$!
	for i in $(seq 1200); do
		now=$(ls -i k.st 2> /dev/null)
		: "${first:=$now}"
		[ "$first" = "$now" ] || return 0
		[ -z "$now" ] || [ "$(updates_of k.st)" -lt "$known" ] || return 0
		sleep 0.1
	done
	cat out err
	kill -9 $run
	return 1
}

gone() { # PROCESS SECONDS
	for i in $(seq $(($2 * 10))); do
		kill -0 "$1" 2> /dev/null || return 0
		sleep 0.1
	done
	kill -9 "$1"
	echo "process $1 is still there"
	return 1
}

# Sends a rank, 2 if not said, the signal, and wants all to have ended soon after the 3 seconds
ended_by() { # SIGNAL [RANK]
	begin --lost-after 3 --save-every 2 || return
	victim=$(rank $run $((${2:-2} + 1)))
	[ -n "$victim" ] && kill -"$1" "$victim" || { cat out err; kill -9 $run; return 1; }
	gone $run 60 || { kill -9 "$victim"; return 1; }
	wait $run
	status=$?
	tail -n 3 out
	cat err
	[ "$status" != 0 ] && gone "$victim" 30 && head -c 32 k.st | grep -q metadata
}

# Named, with the last checkpoint
named() {
	ended_by STOP && grep 'rank 2 (process [0-9]* on .*) has not been heard of for 3 seconds' err &&
		grep 'the last checkpoint is k.st, after update [0-9]*' err && ! grep 'has ended' err
}
# By one of those that are left, while Open MPI ends them; others leave no time for it
killed() { # RANK
	ended_by KILL "$1" && { ! mpirun --version 2> /dev/null | grep -q 'Open MPI' || {
		grep "^$long: rank $1 (process $victim on .*) has ended: all ranks end; the last checkpoint is k.st, after update [0-9]*$" err &&
			[ "$(grep -c 'last checkpoint' err)" = 1 ]
	}; }
}

# push, pushes: momentum, of which each rank keeps a share and to which it adds its gradients, of micro-batches too; pushconv:
# of convolutions; pushturn: of two networks, one of which most steps leave out; pushword: of embeddings and a recurrence
spec_of_momentum() {
	sed 's/network net/network push/; s/clip 0.5//; s/adamw(lr=1e-2)/sgd(lr=0.05, momentum=0.9, weight_decay=0.01)/' net.nn > push.nn
	sed 's/network push/network pushes/; s/batch 24/batch 24  accumulate 2/' push.nn > pushes.nn
	spec_of_turns
	sed 's/network turns/network pushturn/; s/adam(lr=1e-2)/sgd(lr=0.05, momentum=0.9)/' turns.nn > pushturn.nn
	cat > pushconv.nn <<'END'
network pushconv {
  input  x : f32[2, 7, 7]
  target t : class[3]
  h = x -> conv(4, 3) -> relu -> conv(8, 3, groups=2) -> groupnorm(2) -> relu -> conv_transpose(4, 2, stride=2)
  loss cross_entropy(h -> flatten -> dense(6) -> tanh -> dense(3), t)
}
train {
  batch 24  epochs 2  precision f64  optimizer sgd(lr=0.05, momentum=0.9, weight_decay=0.01)  data synthetic(77)
}
END
	cat > pushword.nn <<'END'
network pushword {
  input  x : tokens[5, vocab=11]
  target t : class[3]
  h = x -> embedding(11, 6) -> lstm(5) -> attention(heads=1)
  loss cross_entropy(h -> flatten -> dense(3), t)
}
train { batch 24  epochs 2  accumulate 2  precision f64  optimizer sgd(lr=0.05, momentum=0.9)  data synthetic(77) }
END
}

# turns and turns2: two networks that have nothing in common, one of which most steps leave out; which, differs
spec_of_turns() {
	cat > turns.nn <<'END'
network turns {
  input  x : f32[6]
  target t : class[3]
  target u : class[3]
  a = x -> dense(7) -> relu -> dense(3)
  b = x -> dense(8) -> relu -> dense(3)
  loss la: cross_entropy(a, t)
  loss lb: cross_entropy(b, u)
}
train {
  batch 12  epochs 2  precision f64  optimizer adam(lr=1e-2)  update (a, loss=la), (b, loss=lb, every=3)
  data synthetic(120)
}
END
	sed 's/network turns/network turns2/; s/loss=la)/loss=la, every=3)/; s/lb, every=3/lb/' turns.nn > turns2.nn
}

# A recurrence that is spelt out, whose weights each of its rounds reads
spec_of_rounds() {
	cat > rounds.nn <<'END'
network rounds {
  input  x : f32[5, 4]
  target t : class[3]
  h = (x, zeros(6)) -> scan(concat -> dense(6) -> tanh)
  loss cross_entropy(h.last -> dense(3), t)
}
train { batch 12  epochs 2  precision f64  optimizer adam(lr=1e-2)  data synthetic(120) }
END
}

# words, sums, half, digits, lenet5, digit_gan
other_specs() {
	cat > words.nn <<'END'
network words {
  input  tok : tokens[12, vocab=20]
  target nxt : tokens[12, vocab=20]
  place = parameter((12, 16), init=normal(0.1))
  x = (tok -> embedding(20, 16)) + place -> attention(heads=2, causal=true, dropout=0.2) -> dropout(0.1) -> layernorm
  y = x -> dense(32) -> gelu -> dense(20)
  loss cross_entropy(y, nxt)
}
train { batch 12  epochs 2  precision f64  optimizer adamw(lr=1e-2)  data synthetic(50) }
END
	sed 's/network net/network sums/; s/clip 0.5/accumulate 2  ema 0.9/; s/adamw(lr=1e-2)/sgd(lr=0.1, momentum=0.9)/' \
		net.nn > sums.nn
	sed 's/network net/network half/; s/f64  clip 0.5/bf16  patience 1  schedule plateau(patience=0)/' net.nn > half.nn
	sed 's/network digits/network digits/; s/-> batchnorm//g; s/bias=false/bias=true/g; s/batch .*32/batch 48  precision f64/
		s/epochs .*8/epochs 1/; s/1 epochs/10 steps/; s,data/,,' "$top_srcdir/specs/digits.nn" > digits.nn
	cp "$top_srcdir/specs/data/digits.csv" .
	sed 's/idx([^)]*)/synthetic(200)/; s/batch *64/batch 48  precision f64/; s/epochs *[0-9]*/epochs 2/
		s/batch 256/batch 64/' "$top_srcdir/specs/lenet5.nn" > lenet5.nn
	sed 's/-> batchnorm//g; s/bias=false/bias=true/g; s,data/,,; s/batch *32/batch 24  precision f64/
		s/validate {/validate { batch 8/; s/(generator, loss=g)/(generator, loss=g, every=3)/' "$top_srcdir/specs/digit_gan.nn" > digit_gan.nn
}

# mlp: layers on 3 ranks. h goes through the second one
spec_of_stages() {
	cat > mlp.nn <<'END'
network mlp {
  input  x : f32[6]
  target t : class[5]
  h = x -> a: dense(16) -> tanh -> b: dense(8) -> relu -> dropout(0.3)
  y = h -> c: dense(12) -> tanh -> d: dense(8) -> tanh
  z = y + h -> e: dense(5)
  loss cross_entropy(z, t)
  metric accuracy(z, t)
}
train {
  batch 24  accumulate 4  epochs 3  precision f64  clip 0.5  optimizer adamw(lr=1e-2)
  place a, b on 0  place c on 1  place z, e on 2
  data synthetic(samples=77)
}
validate { batch 5  data synthetic(samples=26) }
END
}

# gpt, of four stages, and of two in 32 bits (single), of four in 16 (half); cnn of three, in one micro-batch (once), and in two (few)
other_stages() {
	cat > gpt.nn <<-'END'
	block layer(width, heads, drop) {
	  mid = in + (in -> ln_1: layernorm -> attn: attention(heads, causal=true, dropout=drop) -> dropout(drop))
	  out = mid + (mid -> ln_2: layernorm -> dense(4 * width) -> gelu(tanh=true) -> dense(width) -> dropout(drop))
	}
	network gpt {
	  input  ids  : tokens[16, vocab=60]
	  target next : class[60, 16]
	  place  = parameter((16, 32), init=normal(0.02))
	  body   = (ids -> wte: embedding(60, 32)) + place -> dropout(0.1) -> blocks: 4 * layer(32, 4, 0.1) -> ln_f: layernorm
	  logits = body -> head: dense(60, bias=false)
	  loss   cross_entropy(logits, next)
	}
	train {
	  batch 24  steps 12  precision f64  clip 1  accumulate 6  optimizer adamw(lr=1e-2)  data synthetic(samples=44)
	  place wte, blocks.0 on 0  place blocks.1 on 1  place blocks.2 on 2  place blocks.3 on 3
	}
	validate { batch 5  data synthetic(samples=13) }
	END
	sed 's/network gpt/network single/; s/precision f64/precision f32/; s/on 2/on 0/; s/on 3/on 1/; s/blocks.2 on 0/blocks.2 on 1/' gpt.nn > single.nn
	sed 's/precision f64/precision bf16/; s/network gpt/network half/' gpt.nn > half.nn
	cat > cnn.nn <<-'END'
	network cnn {
	  input  image : f32[2, 12, 12]
	  target digit : class[5]
	  a = image -> conv(8, 3, pad=1) -> batchnorm -> relu -> maxpool(2)
	  b = a -> conv(8, 3, pad=1) -> batchnorm -> relu
	  c = a + b -> avgpool(2) -> flatten -> dense(20) -> tanh -> dense(5)
	  loss cross_entropy(c, digit, ignore=3, weights=(1, 2, 3, 1, 0.5))
	  metric accuracy(c, digit)
	}
	train {
	  batch 20  accumulate 4  epochs 3  precision f64  optimizer sgd(lr=0.05, momentum=0.9)  data synthetic(samples=47)
	  place a on 0  place b on 1  place c on 2
	}
	validate { batch 6  data synthetic(samples=15) }
	END
	sed 's/accumulate 4//; s/network cnn/network once/' cnn.nn > once.nn
	sed 's/accumulate 4/accumulate 2/; s/network cnn/network few/' cnn.nn > few.nn
}
