#!/usr/bin/env python3
"""Writes reference.csv: values of elementary functions at double arguments, by mpmath (pip install mpmath).

    python3 reference.py > reference.csv

Columns: function, argument(s) and the nearest double to the value as hexadecimal bit patterns, and how far the value lies
above that double, in units of its last place.
"""
import math
import random
import struct

from mpmath import acos, asin, atan, atan2, cos, erf, exp, expm1, floor, frexp, ln, log1p, mp, mpf, pi, sin, sqrt, tanh

mp.dps = 60
random.seed(20240607)
PER_FUNCTION = 240


def bits(v):
    return struct.pack(">d", v).hex()


def from_bits(n):
    return struct.unpack(">d", struct.pack(">Q", n))[0]


def ulp(v):
    _, e = frexp(abs(v))
    return mpf(2) ** (max(int(e) - 1, -1022) - 52)


def nearest(value):
    """Nearest double (ties do not occur) and the rest in ulp."""
    if value == 0:
        return 0.0, mpf(0)
    u = ulp(value)
    n = floor(value / u + mpf(1) / 2)
    hi = n * u
    if abs(hi) >= mpf(2) ** 1024:
        return float("inf") if hi > 0 else float("-inf"), mpf(0)
    return math.copysign(float(hi), value), (value - hi) / u


def uniform(a, b):
    return lambda: random.uniform(a, b)


def scale(a, b, signed=True):
    """Magnitudes from 2^a to 2^b, evenly by exponent."""

    def draw():
        v = random.uniform(1.0, 2.0) * 2.0 ** random.randint(a, b - 1)
        if a < -1022 and random.random() < 0.1:
            v = from_bits(random.getrandbits(random.randint(1, 52)) | 1)
        return -v if signed and random.random() < 0.5 else v

    return draw


def around(center, a, b):
    """Doubles at distances 2^a to 2^b from a point."""
    return lambda: float(center + random.choice([-1, 1]) * random.uniform(1, 2) * mpf(2) ** random.randint(a, b - 1))


def near_one():
    return random.choice([-1, 1]) * (1 - random.uniform(1, 2) * 2.0 ** random.randint(-53, -6))


def quarter_turns(limit):
    """Doubles nearest to multiples of pi/2, where reductions lose most."""
    return lambda: random.choice([-1, 1]) * float(random.randint(1, 2 ** random.randint(1, limit)) * pi / 2)


def mix(*draws):
    return lambda: random.choice(draws)()


def sinc_prime(x):
    with mp.workdps(400):  # the difference cancels down to x² of its terms
        return (cos(x) - sin(x) / x) / x


def pair(first, second):
    return lambda: (first(), second())


def power():
    x = mix(scale(-1022, 1023, False), scale(-4, 4, False), around(1, -50, -1))()
    # Exponents that bring the result anywhere between the underflow and the overflow thresholds, and a bit beyond.
    return x, float(random.uniform(-1090, 1040) / (ln(mpf(x)) / ln(mpf(2)))) if random.random() < 0.7 else random.uniform(-20, 20)


TRIG = mix(uniform(-10, 10), scale(-40, 5), scale(5, 25), quarter_turns(24), quarter_turns(24), scale(25, 1023))
UNARY = {
    "exp2": (lambda x: mpf(2) ** x, mix(uniform(-1076, 1025), uniform(-2, 2), scale(-60, 0))),
    "exp": (exp, mix(uniform(-746, 710), uniform(-2, 2), scale(-60, 0))),
    "ln": (ln, mix(scale(-1023, 1023, False), uniform(0.5, 2), around(1, -52, -2))),
    "sin": (sin, TRIG),
    "cos": (cos, TRIG),
    "asin": (asin, mix(uniform(-1, 1), scale(-60, 0), near_one, uniform(0.4, 0.6))),
    "acos": (acos, mix(uniform(-1, 1), scale(-60, 0), near_one, uniform(-1, -0.9))),
    "atan": (atan, mix(uniform(-5, 5), scale(-60, 60), scale(-3, 3))),
    "rsqrt": (lambda x: 1 / sqrt(x), scale(-1023, 1023, False)),
    "xlogx": (lambda x: x * ln(x), mix(scale(-1023, 1000, False), uniform(0.2, 2), around(1, -52, -2))),
    "sinxdivx": (lambda x: sin(x) / x, TRIG),
    "sinxdivx_prime": (sinc_prime, mix(uniform(-10, 10), scale(-300, 1), uniform(-1.7, 1.7), scale(1, 25))),
}
BINARY = {
    "atan2": (atan2, mix(pair(scale(-1023, 1023), scale(-1023, 1023)), pair(scale(-3, 3), scale(-3, 3)))),
    "powf": (lambda x, y: x**y, power),
}

# Drawn last, so that the lines above keep their numbers.
LATER = {
    "expm1": (expm1, mix(uniform(-40, 710), uniform(-2, 2), scale(-60, 0))),
    "log1p": (log1p, mix(scale(-60, 0), uniform(-0.99, 2), scale(0, 1000, False), lambda: -abs(near_one()))),
    "tanh": (tanh, mix(uniform(-20, 20), uniform(-2, 2), scale(-60, 0))),
    "sigmoid": (lambda x: 1 / (1 + exp(-x)), mix(uniform(-740, 40), uniform(-5, 5), scale(-60, 0))),
    "softplus": (lambda x: log1p(exp(x)), mix(uniform(-740, 40), uniform(-5, 5), scale(-60, 0))),
    "erf": (erf, mix(uniform(-6, 6), uniform(-1, 1), scale(-60, 0))),
}

print("function,x,y,value,rest")
for name, (f, draw) in UNARY.items():
    for _ in range(PER_FUNCTION):
        x = draw()
        value, rest = nearest(f(mpf(x)))
        print(f"{name},{bits(x)},,{bits(value)},{mp.nstr(rest, 5)}")
for name, (f, draw) in BINARY.items():
    for _ in range(PER_FUNCTION):
        x, y = draw()
        value, rest = nearest(f(mpf(x), mpf(y)))
        print(f"{name},{bits(x)},{bits(y)},{bits(value)},{mp.nstr(rest, 5)}")
for name, (f, draw) in LATER.items():
    for _ in range(PER_FUNCTION):
        x = draw()
        value, rest = nearest(f(mpf(x)))
        print(f"{name},{bits(x)},,{bits(value)},{mp.nstr(rest, 5)}")
