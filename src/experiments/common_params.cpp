#include "experiments/common_params.h"

namespace sqrtdk {

Param d_param(const std::string& default_value) {
  return {.name = "d",
          .type = ParamType::kIntList,
          .default_value = default_value,
          .min = 1,
          .max = 16384,
          .max_count = 16};
}

Param n_keys_param() {
  return {.name = "n_keys", .type = ParamType::kInt, .default_value = "8", .min = 1, .max = 4096};
}

Param scale_param(const std::string& default_value) {
  return {.name = "scale", .type = ParamType::kScaleList, .default_value = default_value, .max_count = 16};
}

Param distribution_param() {
  return {.name = "distribution",
          .type = ParamType::kChoice,
          .default_value = "normal",
          .choices = {"normal", "uniform", "rademacher", "student_t"}};
}

Param nu_param() {
  return {.name = "nu", .type = ParamType::kInt, .default_value = "3", .min = 3, .max = 100};
}

Param trials_param(const std::string& default_value) {
  return {
      .name = "trials", .type = ParamType::kInt, .default_value = default_value, .min = 100, .max = 1000000};
}

Param seed_param() { return {.name = "seed", .type = ParamType::kSeed, .default_value = "0"}; }

}  // namespace sqrtdk
