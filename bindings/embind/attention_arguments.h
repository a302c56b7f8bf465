#pragma once
// What every attention can be told, as it comes: AttentionOptions, but for scales that are names.
#include "arguments.h"
#include "kernels/attention/attention_options.h"

namespace sqrtdk::border {

/// A number, a text that parse_scale takes, or a list of these: one for each head.
class GivenScale {
 public:
  GivenScale() = default;
  explicit GivenScale(Arguments& given);

  /// For heads of dimension d. Writes nothing where none is given, nor for "default"; those of heads stay
  /// where the arguments are. To be called once. Throws ValueError where a scale is no known name, and for an
  /// empty list.
  void read(const char* op, int64_t d, std::optional<float>& scale,
            std::span<const float>& head_scales) const;

 private:
  std::optional<Arguments> from_;  // where it begins
};

struct AttentionArguments {
  AttentionOptions options;  // without scales
  GivenScale scale;

  static constexpr const char* kNames = "scale? softcap causal n_past mask? bias? lengths?";
  static AttentionArguments of(GivenScale scale, float softcap, Causal causal, int64_t n_past, MaskView mask,
                               ConstView bias, IndexView lengths) {
    return {{{}, softcap, causal, n_past, mask, bias, lengths, {}}, scale};
  }

  /// For heads of dimension d, once. Throws as GivenScale::read.
  AttentionOptions at(const char* op, int64_t d) const;
  /// d is the last dimension of q.
  AttentionOptions at(const char* op, ConstView q) const {
    return at(op, q.shape.rank() > 0 ? q.shape[-1] : 1);
  }
};

}  // namespace sqrtdk::border
