#pragma once
// How a config declares its fields, each once. Beside the struct stands
//   template <class Visitor>
//   void visit_fields(Config& config, Visitor& field) {
//     field("d_ff", config.d_ff, {"the number of hidden units", kSizes, "4 d_model"});
//     ..
//   }
// Type and default are those of the member. Checkpoints, options, links, parameters of experiments,
// JavaScript's configs and their types follow; `sqrtdk schema` prints them all.
#include <limits>

namespace sqrtdk {

/// What the values of an enumeration are called, in their order: `static constexpr const char* kNames[]`,
/// specialized beside each enumeration that is a field.
template <class Enum>
struct Choices;

struct Range {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
};
inline constexpr Range kSizes{1, 1 << 24}, kNotNegative{.min = 0}, kShare{0, 1};

/// What people are told of a field.
struct About {
  const char* help;
  Range range = {};            // of a number; a default outside it stands for another, or none
  const char* otherwise = "";  // which other: "d_model / n_heads"
};

/// A visitor to which it is all the same in which part of a config a field stands. A part is fields that
/// several configs have, under the name of their TypeScript interface.
struct FlatVisitor {
  void part(const char*, const auto& visit) { visit(); }
};

}  // namespace sqrtdk
