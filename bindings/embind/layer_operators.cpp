#include "layer_object.h"
#include "layers/config_fields.h"
#include "layers/positional_encoding.h"
#include "listing.h"
#include "operators.h"
#include "read_config.h"

namespace sqrtdk::border {
namespace {

void make(Arguments& given) { answer_object(make_layer(given)); }

void draw(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  const auto initial = read_config<Initialization>(given);
  initialize(layer.parameters, initial, given.words());
}

void forward(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  const LayerCall call(given);
  layer.forward(call, given.output());
}

void backward(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  const ConstView dout = given.input();
  const View dinputs[] = {given.output(), given.output(), given.output()};
  layer.backward(dout, dinputs);
}

void list_tensors(Arguments& given) {
  enum class Which { kParameters, kGradients, kCache };
  LayerObject& layer = object<LayerObject>(given);
  const auto which = given.choice<Which>();
  Listing listing;
  if (which == Which::kCache) {
    for (const std::string& name : layer.cache.names()) {
      const ConstView tensor = layer.cache.at(name);
      listing.add(name, tensor.data, tensor.shape);
    }
    return listing.answer();
  }
  const Parameters& parameters = layer.parameters;  // asking for what can be written would end packing
  const float* block = (which == Which::kGradients ? parameters.gradients() : parameters.values()).data();
  const auto add = [&](const std::string& name, int index) {
    const Parameter& parameter = parameters.list()[static_cast<size_t>(index)];
    listing.add(name, block + parameter.offset, parameter.shape);
  };
  for (size_t i = 0; i < parameters.list().size(); ++i) add(parameters.list()[i].name, static_cast<int>(i));
  for (const auto& [name, index] : parameters.aliases()) add(name, index);
  listing.answer();
}

void clear_gradients(Arguments& given) { object<LayerObject>(given).parameters.clear_gradients(); }

void encode_positions(Arguments& given) {
  const View out = given.output();
  sinusoidal_encoding(out, given.number());
}

}  // namespace

std::span<const Operator> layer_operators() {
  static constexpr Operator kOperators[] = {
      {"make_layer", &call<make>},
      {"initialize_layer", &call<draw>},
      {"layer_forward", &call<forward>},
      {"layer_backward", &call<backward>},
      {"list_tensors", &call<list_tensors>},
      {"clear_gradients", &call<clear_gradients>},
      {"positional_encoding", &call<encode_positions>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
