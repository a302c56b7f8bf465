// What operators choose among, by the names that TypeScript gives: the only list of them at run time.
#include "kernels/activation.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/half_precision.h"
#include "kernels/rotary.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

struct Choice {
  const char* kind;
  const char* name;  // empty: where none is given
  int value;

  template <class Enum>
  constexpr Choice(const char* kind, const char* name, Enum value)
      : kind(kind), name(name), value(static_cast<int>(value)) {}
};

constexpr Choice kChoices[] = {
    {"causal", "", Causal::kNo},
    {"causal", "top_left", Causal::kTopLeft},
    {"causal", "bottom_right", Causal::kBottomRight},
    {"additive form", "naive", AdditiveForm::kNaive},
    {"additive form", "projected", AdditiveForm::kProjected},
    {"activation", "relu", Activation::kRelu},
    {"activation", "gelu", Activation::kGelu},
    {"activation", "gelu_tanh", Activation::kGeluTanh},
    {"activation", "silu", Activation::kSilu},
    {"activation", "tanh", Activation::kTanh},
    {"reduction", "none", Reduction::kNone},
    {"reduction", "mean", Reduction::kMean},
    {"reduction", "sum", Reduction::kSum},
    {"format", "f32", Format::kF32},
    {"format", "f16", Format::kF16},
    {"format", "bf16", Format::kBf16},
    {"rotary pairs", "halves", RotaryPairs::kHalves},
    {"rotary pairs", "interleaved", RotaryPairs::kInterleaved},
};

/// Answers "kind,name,value" in lines.
void list_choices(Arguments&) {
  std::string text;
  for (const Choice& each : kChoices) {
    text.append(text.empty() ? "" : "\n").append(each.kind).append(",").append(each.name).append(",");
    text += std::to_string(each.value);
  }
  set_answer(std::move(text));
}

}  // namespace

std::span<const Operator> choice_operators() {
  static constexpr Operator kOperators[] = {{"list_choices", &call<list_choices>}};
  return kOperators;
}

}  // namespace sqrtdk::border
