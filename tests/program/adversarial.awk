# adversarial.awk digits.csv pictures.csv: what was written of the held-out rows' digits. How many pictures are nearest
# to the mean picture of the digit they were told to be; and how much those of one digit differ from each other, as a
# share of how much those of the data do, which is 0 where one picture is written again and again.
BEGIN {
	FS = ","
}

FNR == NR {
	rows[$65]++
	for (p = 1; p <= 64; p++) {
		mean[$65, p] += $p / 16
		square[$65, p] += $p * $p / 256
	}
	if (FNR % 5 == 1)
		told[++held] = $65
	next
}

{
	digit = told[FNR]
	pictures[digit]++
	best = -1
	for (k = 0; k < 10; k++) {
		far = 0
		for (p = 1; p <= 64; p++)
			far += ($p - mean[k, p] / rows[k]) ^ 2
		if (best < 0 || far < least) {
			best = k
			least = far
		}
	}
	right += best == digit
	for (p = 1; p <= 64; p++) {
		made_mean[digit, p] += $p
		made_square[digit, p] += $p * $p
	}
}

END {
	for (k = 0; k < 10; k++)
		for (p = 1; p <= 64; p++) {
			real += square[k, p] / rows[k] - (mean[k, p] / rows[k]) ^ 2
			made += made_square[k, p] / pictures[k] - (made_mean[k, p] / pictures[k]) ^ 2
		}
	printf "%d %.3f\n", right * 100 / held, made / real
}
