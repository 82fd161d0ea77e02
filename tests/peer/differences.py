"""How far arrays are apart: unlike with Python's max, NaN is found, and no reshape hides a wrong shape."""
import numpy


def difference(got, want):
    """The largest of two arrays of one shape: NaN, where a difference is."""
    assert got.shape == want.shape, f"shape {got.shape}, where {want.shape} is wanted"
    return float(numpy.abs(got - want).max())


def shaped(array, shape):
    """As reshape, which here adds axes of 1 and takes them away, and does no more."""
    assert [n for n in array.shape if n != 1] == [n for n in shape if n != 1], f"shape {array.shape}, where {shape} is wanted"
    return array.reshape(shape)


def worst(found):
    """Of pairs of a number and a name that of the largest number, above which NaN is."""
    found = list(found)
    return found[int(numpy.argmax([number for number, _ in found]))]
