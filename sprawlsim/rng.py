"""Counter-keyed random words: each is a pure function of a key and of what it is for.

No generator has a state, so nothing depends on the order of draws, on threads, or on blocks, and two
variants that ask for the same word get the same word (common random numbers).

The words are SplitMix64's output function over a Weyl sequence. [1]_ Both steps are bijections of 64-bit
integers, so under one key no two counters share a word.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
   OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def word(key: np.uint64, counter: np.uint64) -> np.uint64:
    """Give the random 64-bit word number `counter` of the stream `key`."""
    z = key + (counter + np.uint64(1)) * _GAMMA
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


def stream_key(seed: int, purpose: str) -> np.uint64:
    """Make the key of a stream of words.

    Parameters
    ----------
    seed : int
        Any integer; it is taken modulo 2**64.
    purpose : str
        What the words are for, such as ``"mission"``; other purposes get unrelated words.

    Returns
    -------
    numpy.uint64
    """
    with np.errstate(over="ignore"):
        key = np.uint64(word(np.uint64(seed % 2**64), np.uint64(0)))
        for byte in purpose.encode():
            key = np.uint64(word(key, np.uint64(byte)))
    return key
