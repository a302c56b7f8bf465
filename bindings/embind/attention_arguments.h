#pragma once
// What every attention can be told, as it comes: AttentionOptions, but for a scale that is a name.
#include "arguments.h"
#include "kernels/attention/attention_options.h"

namespace sqrtdk::border {

/// A number, or a text that parse_scale takes.
struct GivenScale {
  std::optional<float> number;
  std::optional<GivenText> text;

  explicit GivenScale(Arguments& given) {
    if (given.none()) return;
    if (given.is_number()) {
      number = static_cast<float>(given.number());
    } else {
      text = given.text();
    }
  }
};

struct AttentionArguments {
  AttentionOptions options;  // its scale where that is a number
  std::optional<GivenText> scale;

  static constexpr const char* kNames = "scale? softcap causal n_past mask? bias? lengths?";
  static AttentionArguments of(GivenScale scale, float softcap, Causal causal, int64_t n_past, MaskView mask,
                               ConstView bias, IndexView lengths) {
    return {{scale.number, softcap, causal, n_past, mask, bias, lengths}, scale.text};
  }

  /// For heads of dimension d. Throws ValueError where the scale is no known name; "default": none.
  AttentionOptions at(const char* op, int64_t d) const;
  /// d is the last dimension of q.
  AttentionOptions at(const char* op, ConstView q) const {
    return at(op, q.shape.rank() > 0 ? q.shape[-1] : 1);
  }
};

}  // namespace sqrtdk::border
