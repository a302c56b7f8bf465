#include "layer_object.h"
#include "layers/config_fields.h"
#include "listing.h"
#include "operators.h"
#include "read_config.h"

namespace sqrtdk::border {
namespace {

void draw(LayerObject& layer, uint64_t seed, Arguments& fields) {
  std::span<const float> none;
  initialize(layer.parameters, read_config<Initialization>(layer.op, fields, none), seed);
}

void forward(LayerObject& layer, const ConstView& x, const ConstView& y, const ConstView& z,
             const IndexView& ids, const AttentionArguments& first, const AttentionArguments& second,
             const AttentionArguments& third, bool explain, bool training, uint64_t seed, int64_t step,
             const View& out) {
  LayerCall call;
  call.inputs = {x, y, z};
  call.ids = ids;
  call.options = {layer.options(layer.op, first), layer.options(layer.op, second),
                  layer.options(layer.op, third)};
  call.explain = explain;
  call.mode.training = training;
  call.mode.seed = seed;
  call.mode.step = static_cast<uint64_t>(step);
  layer.forward(call, out);
}

void backward(LayerObject& layer, const ConstView& dout, const View& dx, const View& dy, const View& dz) {
  const View dinputs[] = {dx, dy, dz};
  layer.backward(dout, dinputs);
}

std::string list_tensors(LayerObject& layer, LayerTensors which) {
  Listing listing;
  if (which == LayerTensors::kCache) {
    for (const std::string& name : layer.cache.names()) {
      const ConstView tensor = layer.cache.at(name);
      listing.add(name, tensor.data, tensor.shape);
    }
    return std::move(listing).text();
  }
  const Parameters& parameters = layer.parameters;  // asking for what can be written would end packing
  listing.add(parameters,
              (which == LayerTensors::kGradients ? parameters.gradients() : parameters.values()).data());
  return std::move(listing).text();
}

void clear_gradients(LayerObject& layer) { layer.parameters.clear_gradients(); }

}  // namespace

std::span<const Operator> layer_operators() {
  static constexpr Operator kOperators[] = {
      op<make_layer>("make_layer", "fields"),
      op<draw>("initialize_layer", "layer seed fields"),
      op<forward>("layer_forward", "layer x? y? z? ids? first second third explain training seed step out"),
      op<backward>("layer_backward", "layer dout dx? dy? dz?"),
      op<list_tensors>("list_tensors", "layer which"),
      op<clear_gradients>("clear_gradients", "layer"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
