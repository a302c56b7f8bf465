#pragma once
// A layer or model behind a handle: its parameters, and what its last forward pass was given and left.
#include <array>
#include <span>
#include <vector>

#include "attention_arguments.h"
#include "models/language_model.h"
#include "objects.h"

namespace sqrtdk::border {

constexpr size_t kMaxInputs = 3;

/// What a forward pass is given; a layer takes what it knows, in the order of its forward function.
struct LayerCall {
  std::array<ConstView, kMaxInputs> inputs;
  IndexView ids;
  std::array<AttentionOptions, kMaxInputs> options;
  bool explain = false;
  Mode mode;
};

/// What can be looked up in a layer.
enum class LayerTensors { kParameters, kGradients, kCache };

/// A copy of a call, for the backward pass; its memory is used again by the next.
class KeptCall {
 public:
  const LayerCall& keep(const LayerCall& given);

 private:
  template <class T>
  static BasicView<const T> copy(std::vector<T>& to, BasicView<const T> from);

  LayerCall call_;
  Cache floats_;
  std::array<std::vector<uint8_t>, kMaxInputs> masks_;
  std::array<std::vector<int32_t>, kMaxInputs> lengths_;
  std::array<std::vector<float>, kMaxInputs> scales_;
  std::vector<int32_t> ids_;
};

class LayerObject : public Object {
 public:
  static constexpr const char* kKind = "layer";
  explicit LayerObject(const char* op) : Object(kKind), op(op) { running = op; }

  /// Copies the result to `out`. From the second pass outside training on, weights are packed: where only the
  /// first follows a backward pass, that would not pay. Where it throws, a backward pass needs another
  /// forward pass first.
  void forward(const LayerCall& call, View out);
  /// Adds to the gradients of the parameters; copies those of the inputs to `dinputs`. Throws ShapeError,
  /// ValueError, and then adds nothing.
  void backward(ConstView dout, std::span<const View> dinputs);
  virtual LanguageModel* language_model() { return nullptr; }
  /// The dimension of its attentions' heads, by which a scale's name is a number.
  virtual int64_t d_head() const { return 1; }

  /// Of one of its attentions, with the layer's own scales where the call gives none; they view both.
  AttentionOptions options(const char* called, const AttentionArguments& given) const;

  const char* const op;
  Parameters parameters;
  Cache cache;
  std::vector<float> head_scales;  // one for each head of its attentions, or none

 protected:
  using Gradients = std::array<ConstView, kMaxInputs>;
  virtual View run(const LayerCall& call) = 0;
  virtual Gradients run_back(const LayerCall& call, ConstView dout) = 0;
  /// Throws ShapeError unless x is [batch, n, d].
  void check_sequence(const char* argument, ConstView x, int64_t d) const;

 private:
  KeptCall kept_;
  const LayerCall* last_ = nullptr;
  Shape out_shape_;
  int forwards_ = 0;  // outside training, since the last backward pass
};

/// Reads which kind of layer, and its config. Its parameters are 0. Throws ValueError, ShapeError,
/// OutOfMemory.
std::unique_ptr<LayerObject> make_layer(Arguments& given);

}  // namespace sqrtdk::border
