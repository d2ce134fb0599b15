"""Adequacy of the claims about GELU and multiplication (Cookbook, Section 4.6), from the paper's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
M = CONTEXT.mpf
HALF_PI = CONTEXT.sqrt(CONTEXT.pi / 2)
POINTS = [
    *(F(p, 4) for p in range(-12, 13)),
    *(F(n) for n in ("-100", "-5", "5", "40", "-2.7", "2.7", "-2.27", "2.27", "2.28", "0.1", "-0.01", "1e-6")),
]


def cdf(x: Any) -> Any:
    """The standard normal distribution as an integral, by mpmath."""
    return CONTEXT.ncdf(real(x))


def by_cdf(x: Any) -> Any:
    return real(x) * cdf(x)


def by_tanh(x: Any) -> Any:
    x = real(x)
    return x / 2 * (1 + CONTEXT.tanh(CONTEXT.sqrt(2 / CONTEXT.pi) * (x + M("0.044715") * x**3)))


def ramp(x: Any) -> Any:
    return max(real(x), M(0))


def near(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= SLACK * (1 + abs(a)))


# --- Definition 4.2 and its approximations ----------------------------------------------------------------------------


@adequate(
    "s4.6.def4.2_gelu",
    at=[{"x": x} for x in POINTS],
    misses=[
        ("x/2*(1 + erf(x/sqrt(2)))", "x/2*(1 + erf(x))"),
        ("x/2*(1 + erf(x/sqrt(2)))", "x/2*(1 - erf(x/sqrt(2)))"),
        ("x/2*(1 + erf(x/sqrt(2)))", "x*(1 + erf(x/sqrt(2)))"),
        ("gelu(x) = x*normalcdf(x)", "gelu(x) = normalcdf(x)"),
        ("x*normalcdf(x)", "abs(x)*normalcdf(x)"),
        ("x*normalcdf(x)", "relu(x)"),
        ("x*normalcdf(x)", "x*normalcdf(-x)"),
    ],
)
def definition(v: Any) -> bool:
    x = real(v["x"])
    return near(x * cdf(x), x / 2 * (1 + CONTEXT.erf(x / CONTEXT.sqrt(2))))


@adequate(
    "s4.6.gelu_tanh",
    at=[{"x": x} for x in POINTS],
    misses=[
        ("1/1000", "47/100000"),
        ("<= 1/12*abs(x)^3", "<= 1/12*x^3"),
        ("<= 1/12*abs(x)^3", "<= 1/12*abs(x)^9"),
        ("<= 1/12*abs(x)^3", "<= 1/100000*abs(x)^3"),
        ("<= 1/12*abs(x)^3", "< 1/12*abs(x)^3"),
        ("gelutanh(x)) <= 1/1000", "gelutanh(-x)) <= 1/1000"),
        ("abs(gelu(x) - gelutanh(x)) <= 1/1000", "abs(gelu(x) + gelutanh(x)) <= 1/1000"),
        ("abs(gelu(x) - gelutanh(x)) <= 1/1000", "gelu(x) = gelutanh(x)"),
    ],
)
def tanh_form(v: Any) -> bool:
    off = abs(by_cdf(v["x"]) - by_tanh(v["x"]))
    return bool(off <= M("0.001") and off <= abs(real(v["x"])) ** 3 / 12)


@adequate(
    "s4.6.gelu_sigmoid",
    at=[{"x": x} for x in POINTS],
    misses=[
        ("204/10000", "203/10000"),
        ("-1.702*x", "-1.6*x"),
        ("-1.702*x", "1.702*x"),
        ("1 + exp", "2 + exp"),
        ("1 + exp", "1 - 1/3*exp"),
        ("x*(1/", "abs(x)*(1/"),
        ("gelu(x) - x", "gelu(x) + x"),
    ],
)
def sigmoid_form(v: Any) -> bool:
    x = real(v["x"])
    return bool(abs(by_cdf(x) - x / (1 + CONTEXT.exp(-M("1.702") * x))) <= M("0.0204"))


# --- ReLU as a limit --------------------------------------------------------------------------------------------------


@adequate(
    "s4.6.gelu_to_relu",
    at=[
        {"c": c, "x": [*POINTS, F("0.7518") / c, F(3, 4) / c]}
        for c in (F(1), F(1, 10), F(10), F(1000), F(7, 3), F(-1), F(-5, 2))
    ],
    misses=[
        ("16998/100000", "16996/100000"),
        ("16997/100000", "16999/100000"),
        ("16998/100000/c)", "16998/100000/c^2)"),
        ("0 < c", "c != 0"),
        ("0 <= relu(x)", "0 < relu(x)"),
        ("0 <= relu(x) - gelu(c*x)/c", "relu(x) - gelu(c*x)/c <= 0"),
        ("gelu(c*x)/c = x*normalcdf(c*x)", "gelu(c*x)/c = x*normalcdf(x)"),
        ("gelu(c*x)/c = x*normalcdf(c*x)", "gelu(c*x) = x*normalcdf(c*x)"),
    ],
)
def to_relu(v: Any) -> bool | None:
    """Eq. (27), and the distance to ReLU, at most 0.16998/c, and nearly so at one of the points."""
    c = v["c"]
    if c <= 0:
        return None
    loss = [ramp(x) - by_cdf(c * x) / real(c) for x in v["x"]]
    identity = all(near(by_cdf(c * x) / real(c), real(x) * cdf(c * x)) for x in v["x"])
    high, low = M("0.16998") / real(c), M("0.16997") / real(c)
    return identity and all(0 <= e <= high for e in loss) and any(low <= e for e in loss)


def phi_instances() -> Iterator[dict[str, Any]]:
    """From bound on, a c so large that Phi(c*x) is near its limit, and further ones; c below it do not count."""
    for x in (F(-3), F(-1, 7), F(0), F(1, 100), F(2)):
        for tol in (F(1, 4), F(1, 10**6), F(9, 10), F(0), F(-1)):
            bound = 10 / abs(x) if x else F(0)
            yield {"x": x, "tol": tol, "bound": bound, "c": [bound, bound + 1, 10 * bound, bound - 1, -bound - 1, F(0)]}


@adequate("s4.6.phi_limit", at=phi_instances(), false=True)
def phi_printed(v: Any) -> bool | None:
    if v["tol"] <= 0:
        return None
    limit = 1 if v["x"] >= 0 else 0
    return all(abs(cdf(c * v["x"]) - limit) <= real(v["tol"]) for c in v["c"] if c >= v["bound"])


@adequate(
    "s4.6.phi_limit.corrected",
    at=phi_instances(),
    misses=[
        ("0 < x ->", "0 <= x ->"),
        ("x < 0 ->", "x <= 0 ->"),
        ("normalcdf(c*x) = 1/2", "normalcdf(c*x) = 1"),
        ("bound <= c", "c <= bound"),
        ("normalcdf(c*x) - 1)", "normalcdf(-c*x) - 1)"),
        ("normalcdf(c*x) - 1)", "normalcdf(c*x))"),
        ("0 < tol", "0 <= tol"),
        ("x < 0 -> abs(normalcdf(c*x))", "x < 0 -> abs(normalcdf(c*x) - 1)"),
    ],
)
def phi(v: Any) -> bool | None:
    if v["tol"] <= 0:
        return None
    limit = M(1) if v["x"] > 0 else M(0) if v["x"] < 0 else M("0.5")
    return all(abs(cdf(c * v["x"]) - limit) <= real(v["tol"]) for c in v["c"] if c >= v["bound"])


# --- The remainder ----------------------------------------------------------------------------------------------------


def remainder(f: Callable[[Any], Any], z: Any) -> Any:
    return f(z) - real(z) / 2 - real(z) ** 2 / CONTEXT.sqrt(2 * CONTEXT.pi)


def remainder_instances() -> Iterator[dict[str, Any]]:
    for z in POINTS:
        rs = [remainder(f, z) for f in (by_cdf, by_tanh)]
        other = by_tanh(z) - real(z) ** 2 / CONTEXT.sqrt(2 * CONTEXT.pi)
        yield {"z": z, "r": [*rs, rs[0] + real(ODD), other, by_tanh(z) - real(z) / 2]}


@adequate(
    "s4.6.gelu_remainder",
    at=remainder_instances(),
    misses=[
        ("1/6*abs(z)^3", "8/100*abs(z)^3"),
        ("1/6*abs(z)^3", "1/6*z^3"),
        ("1/6*abs(z)^3", "1/6*abs(z)^5"),
        ("abs(r) <= 1/6", "abs(r) < 1/6"),
        ("z/2 + z^2/sqrt(2*pi) + r", "0*z/2 + z^2/sqrt(2*pi) + r"),
        ("z/2 + z^2/sqrt(2*pi) + r", "z/2 + 0*z^2/sqrt(2*pi) + r"),
        (
            "gelutanh(z) = z/2 + z^2/sqrt(2*pi) + r -> abs(r) <=",
            "gelutanh(z) = z/2 + z^2/sqrt(2*pi) + r -> 1 + abs(r) <=",
        ),
    ],
)
def third_order(v: Any) -> bool:
    return all(abs(remainder(f, v["z"])) <= abs(real(v["z"])) ** 3 / 6 for f in (by_cdf, by_tanh))


# --- Products ---------------------------------------------------------------------------------------------------------

PAIRS = [
    (F(x), F(y))
    for x, y in [
        *(("0", y) for y in ("0", "1", "-3")),
        *(("1.018", y) for y in ("1.018", "-1.018", "0", "1/100", "50")),
        *(("-1.018", y) for y in ("-1.018", "3")),
        *(("-1/10", y) for y in ("1/10", "-1/10", "2")),
        ("2", "-1/2"),
        ("1000", "1000"),
        ("1/1000000", "1/1000000"),
    ]
]


def network(f: Callable[[Any], Any], x: Any, y: Any) -> Any:
    """W2 f(W1 [x; y] + b1) + b2 with the printed matrices."""
    W1, W2 = [[1, 1], [1, 0], [0, 1]], [HALF_PI, -HALF_PI, -HALF_PI]
    return sum((b * f(p * x + q * y + 0) for (p, q), b in zip(W1, W2, strict=True)), M(0)) + 0


def error(f: Callable[[Any], Any], x: Any, y: Any) -> Any:
    return HALF_PI * (f(x + y) - f(x) - f(y)) - real(x) * real(y)


def small(off: Any, x: Any, y: Any) -> bool:
    return bool(abs(off) <= (abs(real(x)) + abs(real(y))) ** 3 / 4 + SLACK)


# --- Products without curvature ---------------------------------------------------------------------------------------

CORNERS = [F(0), F(1), F(1, 2), F(3, 8), F(1, 5), F(7, 8)]
FAR = [*CORNERS, F(-40), F(40)]


def chords(n: int) -> dict[str, Any]:
    """Half the square of x + y, less half the squares of x and of y, each by its chords over k/n, as one layer."""
    units = [(r, k) for r in (1, 2, 3) for k in range(1, 2 * n + 1)]
    steep = {k: F(2 * k - 1, n) - (F(2 * k - 3, n) if k > 1 else 0) for k in range(1, 2 * n + 1)}
    return {
        "h": F(3),
        "m": F(2 * n),
        "W()": {(r, k): F(r != 3) for r, k in units},
        "U()": {(r, k): F(r != 2) for r, k in units},
        "b()": {(r, k): F(1 - k, n) for r, k in units},
        "V()": {(r, k): steep[k] / 2 * (1 if r == 1 else -1) for r, k in units},
        "e": F(0),
    }


def bent(p: Callable[[Any], Any], u: Fraction, slope: Any, half: Any, smooth: bool) -> dict[str, Any]:
    """An activation at a point, with half its second derivative there; `smooth` where it has one."""
    return {
        "p()": [p],
        "u": u,
        "a": slope,
        "c": half,
        "tol": [F(0), F(1, 10), F(1, 2)],
        "d": lambda env: [F(0), env["tol"]],
        "s": lambda env: [F(0), env["d"], -env["d"], env["d"] / 3],
        "R": [F(1), F(0)],
        "off": [F(0), F(1, 10)],
        "T": lambda env: [F(0), env["off"] / 10],
        "v": lambda env: [F(0), env["T"], env["T"] / 2, F(2)],
        "smooth": smooth,
    }


BENT = [
    bent(lambda z: CONTEXT.exp(real(z)), F(0), F(1), F(1, 2), smooth=True),
    bent(lambda z: abs(z), F(0), F(0), F(1), smooth=False),
    bent(lambda z: 1 / (1 + z * z), F(1), F(-1, 2), F(1, 4), smooth=True),
    bent(by_cdf, F(0), F(1, 2), 1 / CONTEXT.sqrt(2 * CONTEXT.pi), smooth=True),
]


def three_units(v: Any) -> bool:
    """f(u + x + y) - f(u + x) - f(u + y) + f(u), scaled and over the second derivative, is near x y."""
    (p,), u, scale = v["p()"], v["u"], F(1, 100)
    for x in CORNERS:
        for y in CORNERS:
            values = [real(p(u + scale * z)) for z in (x + y, x, y, F(0))]
            found = (values[0] - values[1] - values[2] + values[3]) / (2 * real(v["c"]) * real(scale**2))
            if abs(found - real(x * y)) > M("0.1"):
                return False
    return True


def layers() -> Iterator[dict[str, Any]]:
    """Layers with the greatest error that they are to have on the unit square."""
    flat = {name: {(1, 1): F(0)} for name in ("W()", "U()", "b()", "V()")} | {"h": F(1), "m": F(1)}
    tilted = flat | {"W()": {(1, 1): F(1)}, "U()": {(1, 1): F(1)}, "V()": {(1, 1): F(1, 2)}}
    some = [(flat | {"e": F(1, 2)}, F(1, 2)), (tilted | {"e": F(-1, 4)}, F(1, 4))]
    for layer, size in [*some, *((chords(n), F(1, 4 * n * n)) for n in (1, 2, 4))]:
        forms = {"f()": [by_cdf, by_tanh, ramp], "z": POINTS} | BENT[len(layer["V()"]) % len(BENT)]
        yield layer | forms | {"eps": size, "C": [F(0), F(1000)], "x": FAR, "y": FAR, "t": [F(0), F(1, 2), F(2)]}


def put_out(v: Any, x: Fraction, y: Fraction) -> Fraction:
    units = v["V()"]
    return v["e"] + sum(units[u] * max(F(0), v["W()"][u] * x + v["U()"][u] * y + v["b()"][u]) for u in units)


@adequate("s4.6.mul_needs_curvature", at=layers(), false=True)
def without_curvature(v: Any) -> bool:
    """This layer of ReLUs, which has no second derivative but 0, is off by more somewhere."""
    return any(abs(put_out(v, x, y) - x * y) > v["eps"] for x in CORNERS for y in CORNERS)


@adequate(
    "s4.6.mul_needs_curvature.corrected",
    at=layers(),
    misses=[
        ("e - x*y) <= eps", "e - x*y) <= eps/20"),
        ("e - x*y) <= eps", "e + x*y) <= eps"),
        ("0 <= x & x <= 1 & 0 <= y", "0 <= y"),
        ("C < abs(", "100000 < abs("),
        ("C < abs(sum(r, 1, h, sum(k, 1, m, V(r, k)*relu", "100000 < abs(sum(r, 1, h, sum(k, 1, m, V(r, k)*relu"),
        ("+ e - x*y))", "+ e - x*y) & x <= 1 & 0 <= x)"),
        ("<= t/4*(abs(x) + abs(y))^3", "<= t/100*(abs(x) + abs(y))^3"),
        ("f(t*x + t*y) - f(t*x) - f(t*y)", "f(t*x + t*y) - f(t*x)"),
        ("/t^2 - x*y)", "/t - x*y)"),
        ("<= tol*s^2)", "<= tol)"),
        ("/(2*c*v^2)", "/(c*v^2)"),
        ("+ p(u))/", "- p(u))/"),
        ("v <= T &", "T <= v &"),
    ],
)
def by_chords(v: Any) -> bool:
    inside = all(abs(put_out(v, x, y) - x * y) <= v["eps"] for x in CORNERS for y in CORNERS)
    scaled = [(f, x, y, t) for f in (by_cdf, by_tanh) for x in CORNERS for y in CORNERS for t in v["t"] if t > 0]
    three = all(abs(error(f, t * x, t * y)) <= t**3 * (x + y) ** 3 / 4 + SLACK for f, x, y, t in scaled)
    three = three and (not v["smooth"] or three_units(v))
    return inside and three and any(abs(put_out(v, x, y) - x * y) > 1000 for x in FAR for y in FAR)


@adequate(
    "s4.6.mul_identity",
    at=[
        {
            "x": [F(0), F(1), x, y],
            "y": [F(0), x, y, F(-1, 3)],
            "e()": [lambda a, b: error(by_cdf, a, b), lambda a, b: error(by_cdf, a, b) + real(ODD)],
            "h()": [lambda a, b: error(by_tanh, a, b), lambda a, b: error(by_tanh, a, b) + real(a)],
        }
        for x, y in PAIRS
    ],
    misses=[
        ("e(x, y) = e(y, x)", "e(x, y) = -e(y, x)"),
        ("e(x, y) = e(y, x)", "e(x, y) = e(x, x)"),
        ("h(x, y) = h(y, x)", "h(x, y) = h(y, y)"),
        ("h(0, x) = 0", "h(0, x) = x"),
        ("h(x, 0) = 0", "h(x, x) = 0"),
        ("e(0, x) = 0", "e(1, x) = 0"),
    ],
)
def symmetric(v: Any) -> bool:
    f, g = v["e()"][0], v["h()"][0]
    return all(
        near(k(x, y), k(y, x)) and near(k(x, F(0)), 0) and near(k(F(0), x), 0)
        for k in (f, g)
        for x in v["x"]
        for y in v["y"]
    )


@adequate(
    "s4.6.mul_error",
    at=[
        {"x": x, "y": y, "e": wrong_real(error(by_cdf, x, y)), "h": wrong_real(error(by_tanh, x, y))}
        for wrong_real in [lambda e: [e, e + real(ODD)]]
        for x, y in PAIRS
    ],
    misses=[
        ("1/4*(abs(x) + abs(y))^3", "82/1000*(abs(x) + abs(y))^3"),
        ("abs(e) <= 1/4*", "abs(e) <= 82/1000*"),
        ("1/4*(abs(x) + abs(y))^3", "1/4*(abs(x) - abs(y))^3"),
        ("1/4*(abs(x) + abs(y))^3", "1/4*(x + y)^3"),
        ("1/4*(abs(x) + abs(y))^3", "1/4*(abs(x) + abs(y))^9"),
        ("abs(h) <=", "abs(h) <"),
        ("abs(h) <=", "abs(h + x*y) <="),
    ],
)
def product_error(v: Any) -> bool:
    return all(small(error(f, v["x"], v["y"]), v["x"], v["y"]) for f in (by_cdf, by_tanh))


FORMS = {"gelu": by_cdf, "gelutanh": by_tanh, "relu": ramp}


def products() -> Iterator[dict[str, Any]]:
    """u, v, w, out as the network has them, and wrong ones that the hypotheses exclude."""
    for name, f in FORMS.items():
        for x, y in PAIRS:
            yield {
                "form": name,
                "f()": [f],
                "z": POINTS,
                "x": x,
                "y": y,
                "u": [f(x + y), f(x - y)],
                "v": [f(x), f(y) + 1],
                "w": [f(y)],
                "out": lambda env: (
                    [
                        HALF_PI * (env["u"] + sign * env["v"] - env["w"]) + more
                        for sign, more in ((-1, 0), (1, 0), (-1, real(ODD)))
                    ]
                    if "f" in env
                    else [network(by_cdf, env["x"], env["y"]) + more for more in (0, real(ODD))]
                ),
            }


@adequate(
    "s4.6.mul_ffn",
    at=products(),
    misses=[
        ("1/4*(abs(x) + abs(y))^3", "82/1000*(abs(x) + abs(y))^3"),
        ("1/4*(abs(x) + abs(y))^3", "1/4*(x + y)^3"),
        ("abs(out - x*y)", "abs(out + x*y)"),
        ("-sqrt(pi/2)*v", "sqrt(pi/2)*v"),
        ("f(1*x + 1*y + 0)", "f(1*x + -1*y + 0)"),
        ("f(1*x + 0*y + 0)", "f(0*x + 1*y + 0) + 1"),
        ("= gelutanh(z)", "= relu(z)"),
        ("out = sqrt(pi/2)*(f(x + y) - f(x) - f(y))", "out = x*y"),
    ],
)
def multiply(v: Any) -> bool | None:
    f = by_cdf if v["form"] == "relu" else FORMS[v["form"]]  # that of the stored network, where f is another function
    out = network(f, v["x"], v["y"])
    return near(out, real(v["x"]) * real(v["y"]) + error(f, v["x"], v["y"])) and small(
        out - real(v["x"]) * real(v["y"]), v["x"], v["y"]
    )


def table_row() -> Iterator[dict[str, Any]]:
    for name, f in FORMS.items():
        for x, y in PAIRS:
            yield {
                "form": name,
                "f()": [f],
                "z": POINTS,
                "x": [x, F(1)],
                "y": [y, F(1)],
                "out": lambda env: [
                    network(env.get("f", by_cdf), env["x"], env["y"]) + more for more in (0, real(ODD))
                ],
            }


@adequate(
    "t1.mul",
    at=table_row(),
    misses=[
        ("abs(out - x*y) <= 1/4*(abs(x) + abs(y))^3", "abs(out - x*y) <= 82/1000*(abs(x) + abs(y))^3"),
        ("abs(out - x*y) <= 1/4*(abs(x) + abs(y))^3", "abs(out - x*y) <= 1/4*abs(x)^3"),
        ("abs(out - x*y) <= 1/4*(abs(x) + abs(y))^3", "abs(out + x*y) <= 1/4*(abs(x) + abs(y))^3"),
        ("abs(out - x*y) <= 1/4*(abs(x) + abs(y))^3", "abs(out - x*y) <= 0"),
        ("abs(out - x*y) <= 1/4*(abs(x) + abs(y))^3", "abs(out - x*y) <= 1/4*(abs(x) + abs(y))^9"),
        ("= gelutanh(z)", "= relu(z)"),
        ("& out != x*y", "& x*y + 1/4*(abs(x) + abs(y))^3 < out"),
    ],
)
def table_product(v: Any) -> bool | None:
    f = by_cdf if v["form"] == "relu" else FORMS[v["form"]]
    pairs = [(x, y) for x in v["x"] for y in v["y"]]
    offs = [(network(f, x, y) - real(x) * real(y), x, y) for x, y in pairs]
    return all(small(*off) for off in offs) and any(abs(off) > M("0.01") for off, _, _ in offs)


# --- Lagrange's form --------------------------------------------------------------------------------------------------


def between(f: Callable[[Any], Any], z: F) -> Any:
    """A point between 0 and z at which the third derivative, taken numerically, gives the remainder."""
    if z == 0:
        return M(0)
    target = 6 * remainder(f, z) / real(z) ** 3
    end = real(min(abs(z), F(3, 4))) * (1 if z > 0 else -1)
    found = CONTEXT.findroot(
        lambda x: CONTEXT.diff(f, x, 3) - target, (end / 5, end), solver="anderson", tol=M(10) ** -100
    )
    return found


def taylor_instances() -> Iterator[dict[str, Any]]:
    for z in [F(0), F(1, 100), F(-1, 10), F(1), F(-3, 2), F("2.28"), F(-3), F(5)]:
        points = [between(f, z) for f in (by_cdf, by_tanh)]
        yield {"z": z, "xi": [*points, -points[0], real(z)]}


@adequate(
    "s4.6.gelu_taylor",
    at=taylor_instances(),
    misses=[
        ("1/6*gelutanhrate", "-1/6*gelutanhrate"),
        ("1/6*gelutanhrate", "1/12*gelutanhrate"),
        ("gelutanhrate(xi)*z^3", "gelutanhrate(xi)*z^2"),
        ("0 <= xi & xi <= z", "0 <= xi & xi <= z/8"),
        ("z <= xi & xi <= 0", "z <= 8*xi & xi <= 0"),
        ("z^2/sqrt(2*pi)", "z^2/sqrt(pi)"),
        ("= z/2 +", "= z +"),
        ("gelutanhrate(xi)*z^3", "abs(gelutanhrate(xi)*z^3)"),
    ],
)
def lagrange(v: Any) -> bool:
    z = real(v["z"])
    for f, xi in zip((by_cdf, by_tanh), v["xi"], strict=False):
        inside = 0 <= xi <= z or z <= xi <= 0
        if not inside or not near(
            f(z), z / 2 + z**2 / CONTEXT.sqrt(2 * CONTEXT.pi) + CONTEXT.diff(f, xi, 3) * z**3 / 6
        ):
            return False
    return True
