#pragma once
// Elementary functions of our own: the same bits on every target, which libm does not promise.
// f32x4 and float (the scalar form is a lane of the vector form), and double.
#include "simd/double_math.h"
#include "simd/erf.h"
#include "simd/exp.h"
#include "simd/exp_nonpositive.h"
#include "simd/log.h"
#include "simd/sincos.h"
#include "simd/tanh.h"
