#pragma once
// How a config declares its fields, each once. Beside the struct stands
//   template <class Visitor> void visit_fields(Config& config, Visitor& field) { field("d_ff", config.d_ff);
//   .. }
// Type and default are those of the member; checkpoints, options, links and parameters of experiments follow.

namespace sqrtdk {

/// What the values of an enumeration are called, in their order: `static constexpr const char* kNames[]`,
/// specialized beside each enumeration that is a field.
template <class Enum>
struct Choices;

}  // namespace sqrtdk
