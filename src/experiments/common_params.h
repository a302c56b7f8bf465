#pragma once
// Parameters that mean the same in every experiment.
#include "experiments/experiment.h"

namespace sqrtdk {

constexpr Param int_param(const char* name, const char* default_value, double min, double max) {
  return {.name = name, .type = ParamType::kInt, .default_value = default_value, .min = min, .max = max};
}
constexpr Param real_param(const char* name, const char* default_value, double min, double max) {
  return {.name = name, .type = ParamType::kReal, .default_value = default_value, .min = min, .max = max};
}

/// Dimensions of q and k.
constexpr Param d_param(const char* default_value) {
  return {.name = "d",
          .type = ParamType::kIntList,
          .default_value = default_value,
          .min = 1,
          .max = 16384,
          .max_count = 16};
}

inline constexpr Param kNKeysParam = {
    .name = "n_keys", .type = ParamType::kInt, .default_value = "8", .min = 1, .max = 4096};

/// Factors on q·k.
constexpr Param scale_param(const char* default_value) {
  return {.name = "scale", .type = ParamType::kScaleList, .default_value = default_value, .max_count = 16};
}

/// Of the components of q and k: zero mean, unit variance.
inline constexpr const char* kDistributions[] = {"normal", "uniform", "rademacher", "student_t"};
inline constexpr Param kDistributionParam = {
    .name = "distribution", .type = ParamType::kChoice, .default_value = "normal", .choices = kDistributions};

/// Degrees of freedom of student_t.
inline constexpr Param kNuParam = {
    .name = "nu", .type = ParamType::kInt, .default_value = "3", .min = 3, .max = 100};

constexpr Param trials_param(const char* default_value) {
  return {
      .name = "trials", .type = ParamType::kInt, .default_value = default_value, .min = 100, .max = 1000000};
}

inline constexpr Param kSeedParam = {.name = "seed", .type = ParamType::kSeed, .default_value = "0"};

/// The scale of a model that an experiment trains.
inline constexpr const char* kTrainedWith[] = {"1/sqrt(d)", "none", "1/(2*sqrt(d))", "1/d"};
inline constexpr Param kTrainedWithParam = {.name = "trained_with",
                                            .type = ParamType::kChoice,
                                            .default_value = "1/sqrt(d)",
                                            .choices = kTrainedWith};

inline constexpr const char* kYesNo[] = {"no", "yes"};
inline constexpr Param kCausalParam = {
    .name = "causal", .type = ParamType::kChoice, .default_value = "no", .choices = kYesNo};

/// Each number once.
std::vector<int64_t> ascending(std::vector<int64_t> values);

/// Throws ValueError unless low <= value <= high, for a bound that depends on another parameter.
void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high);

/// Throws ValueError unless n_heads divides d_model.
void check_heads(const char* op, int64_t d_model, int64_t n_heads);

}  // namespace sqrtdk
