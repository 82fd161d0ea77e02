"""The numbers that a program draws: what it predicts of data that are drawn is read from a file, compared with the same
made here of hashed bits by NumPy's logarithm and cosine, and tested for being normal, each by itself and of each other."""
import subprocess
import sys

import numpy
from scipy import stats

ALL = (1 << 64) - 1


def mix(x):
    """SplitMix64's finaliser, of arrays of 64 bits."""
    x = x + numpy.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def stream(name):
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 & ALL
    return h


def normal(seed, name, n):
    counter = numpy.arange(2 * n, dtype=numpy.uint64)
    key = mix(numpy.array([seed & ALL], dtype=numpy.uint64)) ^ numpy.uint64(stream(name))
    u = (mix(mix(key) + counter) >> numpy.uint64(11)) / 2.0**53
    return numpy.sqrt(-2 * numpy.log1p(-u[0::2])) * numpy.cos(2 * numpy.pi * u[1::2])


def drawn(program, seed):
    subprocess.run([program, "--quiet", "--seed", str(seed), "--predict", "same=same.npy"], check=True)
    return -numpy.load("same.npy").astype(numpy.float64).ravel()


program = sys.argv[1]
numpy.seterr(over="ignore")
kept = {}
for seed in 1, 2, 20261128:
    x = kept[seed] = drawn(program, seed)
    want = normal(~seed, "x", len(x))
    assert numpy.abs(x - want).max() <= 2**-24 * 8, "not the numbers that were expected"
    # once in ten thousand by chance, of numbers that are always the same
    assert stats.kstest(x, "norm").pvalue > 1e-4, "not normal"
    assert stats.anderson(x, "norm").statistic < 2, "not normal in its tails"
    mean, second = x.mean() * len(x) ** 0.5, (x.var() - 1) * (len(x) / 2) ** 0.5
    skew, tails = stats.skewtest(x).statistic, stats.kurtosistest(x).statistic
    assert max(map(abs, (mean, second, skew, tails))) < 4, (mean, second, skew, tails)
    for lag in 1, 2, 3, 64, 65:
        assert abs(numpy.mean(x[lag:] * x[:-lag])) * len(x) ** 0.5 < 4, f"each depends on the one {lag} before"
        assert abs(numpy.corrcoef(x[lag:] ** 2, x[:-lag] ** 2)[0, 1]) * len(x) ** 0.5 < 4, f"and its size on that {lag} before"
    print(f"seed {seed}: mean {x.mean():.5f}, deviation {x.std():.5f}, largest {numpy.abs(x).max():.3f}")
assert abs(numpy.mean(kept[1] * kept[2])) * len(kept[1]) ** 0.5 < 4, "seeds are alike"
