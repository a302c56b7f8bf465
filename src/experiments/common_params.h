#pragma once
// Parameters that mean the same in every experiment.
#include "experiments/experiment.h"

namespace sqrtdk {

/// Dimensions of q and k.
Param d_param(const std::string& default_value);
Param n_keys_param();
/// Factors on q·k.
Param scale_param(const std::string& default_value);
/// Of the components of q and k: zero mean, unit variance.
Param distribution_param();
/// Degrees of freedom of student_t.
Param nu_param();
Param trials_param(const std::string& default_value);
Param seed_param();

}  // namespace sqrtdk
