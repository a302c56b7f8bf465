#pragma once
// Parameters that mean the same in every experiment.
#include "lab/experiment.h"

namespace sqrtdk {

constexpr Param int_param(const char* name, const char* default_value, double min, double max) {
  return {.name = name, .kind = IntParam{min, max}, .default_value = default_value};
}
constexpr Param int_list_param(const char* name, const char* default_value, double min, double max,
                               size_t max_count) {
  return {.name = name, .kind = IntListParam{min, max, max_count}, .default_value = default_value};
}
constexpr Param real_param(const char* name, const char* default_value, double min, double max) {
  return {.name = name, .kind = RealParam{min, max}, .default_value = default_value};
}
constexpr Param choice_param(const char* name, const char* default_value,
                             std::span<const char* const> choices) {
  return {.name = name, .kind = ChoiceParam{choices}, .default_value = default_value};
}
constexpr Param text_param(const char* name, const char* default_value, size_t max_bytes) {
  return {.name = name, .kind = TextParam{max_bytes}, .default_value = default_value};
}
constexpr Param matrix_param(const char* name, const char* default_value, size_t max_count = 1) {
  return {.name = name,
          .kind = MatrixParam{max_count, ".csv,.txt,.tsv,.npy,text/csv,text/plain"},
          .default_value = default_value,
          .group = kMore};
}

/// The parameter behind the summary of a group.
constexpr Param in_group(const char* group, Param param) {
  param.group = group;
  return param;
}
constexpr Param folded(Param param) { return in_group(kMore, param); }

/// The parameter shown only where it has an effect.
constexpr Param shown_when(std::span<const Condition> conditions, Param param) {
  param.shown_when = conditions;
  return param;
}

/// Dimensions of q and k.
constexpr Param d_param(const char* default_value, double max = 16384, size_t max_count = 16) {
  return int_list_param("d", default_value, 1, max, max_count);
}

inline constexpr Param kNKeysParam = int_param("n_keys", "8", 1, 4096);

/// Factors on q·k.
constexpr Param scale_param(const char* default_value, size_t max_count = 16,
                            std::span<const char* const> further = {}) {
  return {.name = "scale", .kind = ScaleListParam{max_count, further}, .default_value = default_value};
}

/// The distributions of the components of q and k, with zero mean and unit variance.
inline constexpr const char* kDistributions[] = {"normal", "uniform", "rademacher", "student_t"};
inline constexpr Param kDistributionParam = choice_param("distribution", "normal", kDistributions);

/// Degrees of freedom of student_t.
inline constexpr Condition kIfStudentT[] = {{"distribution", "student_t"}};
inline constexpr Param kNuParam = shown_when(kIfStudentT, int_param("nu", "3", 3, 100));

constexpr Param trials_param(const char* default_value) {
  return folded(int_param("trials", default_value, 100, 1000000));
}

inline constexpr Param kSeedParam = {.name = "seed", .kind = SeedParam{}, .default_value = "0"};

inline constexpr const char* kNamedScales[] = {"1/sqrt(d)", "none", "1/(2*sqrt(d))", "1/d"};
/// The scale of a model that an experiment trains.
inline constexpr Param kTrainedWithParam = choice_param("trained_with", "1/sqrt(d)", kNamedScales);

inline constexpr const char* kYesNo[] = {"no", "yes"};
inline constexpr Param kCausalParam = choice_param("causal", "no", kYesNo);

/// Each number once.
std::vector<int64_t> ascending(std::vector<int64_t> values);

/// Throws ValueError unless low <= value <= high, for a bound that depends on another parameter.
void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high);

/// Throws ValueError unless n_heads divides d_model.
void check_heads(const char* op, int64_t d_model, int64_t n_heads);

}  // namespace sqrtdk
