#pragma once
// Looking at gradients before an optimizer uses them.
#include <span>

#include "layers/parameters.h"

namespace sqrtdk {

bool all_finite(std::span<const float> x);

/// Throws ValueError that names the first parameter with a gradient that is NaN or infinite.
void check_gradients(const char* op, const Parameters& parameters);

/// The Euclidean norm, summed in double in an order that depends on indices alone. Not finite if an element
/// is not, and only then.
double norm_of(std::span<const float> x);

/// Multiplies all gradients by max_norm / (norm + 1e-6) where that is less than 1, as torch's
/// clip_grad_norm_, and returns the norm they had. A norm that is not finite changes nothing. Throws
/// ValueError unless max_norm > 0.
double clip_gradients(Parameters& parameters, double max_norm);

}  // namespace sqrtdk
