#pragma once
// exp, log, log1p, sin and cos of doubles, for statistics: built on + - * / alone, so that every target
// gives the same bits. Errors below are measured against 64-bit-mantissa references, in ULP.

namespace sqrtdk::simd {

/// e^x, at most 0.9 ULP; 0 and inf where e^x leaves the doubles, subnormals in between; NaN stays NaN.
double exp(double x);

/// Natural logarithm, at most 0.9 ULP. log(0) = -inf, log(x < 0) = NaN, log(inf) = inf.
double log(double x);

/// log(1 + x) without the rounding of 1 + x, at most 0.9 ULP. log1p(-1) = -inf, log1p(x < -1) = NaN.
double log1p(double x);

struct SinCosF64 {
  double sin, cos;
};

/// For |x| <= 2^20, at most 1.1 ULP; NaN beyond.
SinCosF64 sincos(double x);

}  // namespace sqrtdk::simd
