// PyTorch's optimizers: with given gradients, training a small network, and training a small language model.
#include <algorithm>

#include "conformance/operators.h"
#include "kernels/activation.h"
#include "kernels/cross_entropy.h"
#include "models/language_model.h"
#include "training/optimizer.h"

namespace sqrtdk::conformance {
namespace {

OptimizerConfig config_of(const Case& reference) {
  for (const char* option : {"amsgrad", "maximize"}) {
    if (reference.integer(option, 0) != 0) throw Skip(std::string("no ") + option);
  }
  OptimizerConfig config;
  const std::string kind = reference.text("optimizer", "");
  if (kind == "SGD") {
    config.kind = OptimizerKind::kSgd;
  } else if (kind == "Adam") {
    config.kind = OptimizerKind::kAdam;
  } else if (kind == "AdamW") {
    config.kind = OptimizerKind::kAdamW;
    config.weight_decay = 0.01;
  } else if (kind == "Adagrad") {
    config.kind = OptimizerKind::kAdagrad;
    config.learning_rate = 0.01;
    config.epsilon = 1e-10;
  } else {
    throw Skip("no optimizer " + kind);
  }
  config.learning_rate = reference.number("lr", config.learning_rate);
  config.weight_decay = reference.number("weight_decay", config.weight_decay);
  config.momentum = reference.number("momentum", 0);
  config.dampening = reference.number("dampening", 0);
  config.nesterov = reference.integer("nesterov", 0) != 0;
  config.epsilon = reference.number("eps", config.epsilon);
  config.rate_decay = reference.number("lr_decay", 0);
  if (reference.has("betas")) {
    config.beta1 = reference.attributes["betas"].at(0).get<double>();
    config.beta2 = reference.attributes["betas"].at(1).get<double>();
  }
  return config;
}

void copy_to(View to, const Tensor& from) {
  const Floats values(from);
  check_shape("conformance", from.name.c_str(), values.shape(), to.shape);
  std::copy_n(values.view().data, values.size(), to.data);
}

Floats copy_of(ConstView view) {
  Floats copy(view.shape);
  std::copy_n(view.data, view.shape.size(), copy.view().data);
  return copy;
}

Floats row_of(const std::vector<double>& values) {
  Floats row({static_cast<int64_t>(values.size())});
  for (int64_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(values[static_cast<size_t>(i)]);
  return row;
}

}  // namespace

void torch_optimizer_steps(Case& reference, Results& results) {
  const Tensor& start = reference.required("p0");
  const Floats gradients(reference.required("grads"));
  Parameters parameters;
  const int p = parameters.add("p", shape_of(start.dims));
  parameters.allocate();
  copy_to(parameters.value(p), start);
  Optimizer optimizer(parameters, config_of(reference));
  Floats after(gradients.shape());
  const int64_t n = parameters.size();
  for (int64_t i = 0; i < gradients.size(); i += n) {
    std::copy_n(gradients.view().data + i, n, parameters.gradients().data());
    optimizer.step();
    std::copy_n(parameters.values().data(), n, after.view().data + i);
  }
  results.add("params_after_each_step", after);
}

// y = tanh(x W1ᵀ + b1) W2ᵀ + b2, the loss is the mean of (y - target)².
void torch_optimizer_mlp(Case& reference, Results& results) {
  const Floats x(reference.required("x")), target(reference.required("target"));
  const auto n_hidden = reference.required("W1").dims.at(0), n_out = target.shape()[-1];
  Parameters parameters;
  const Linear first(parameters, "1", x.shape()[-1], n_hidden), second(parameters, "2", n_hidden, n_out);
  parameters.allocate();
  const std::pair<const char*, int> names[] = {
      {"W1", first.weight()}, {"b1", first.bias()}, {"W2", second.weight()}, {"b2", second.bias()}};
  for (const auto& [name, index] : names) copy_to(parameters.value(index), reference.required(name));
  Optimizer optimizer(parameters, config_of(reference));

  Cache cache;
  std::vector<double> losses;
  for (int64_t step = 0; step < reference.integer("steps", 0); ++step) {
    const View hidden = first.forward(x.view(), cache);
    Floats active(hidden.shape), dhidden(hidden.shape), dy(target.shape());
    activation_forward(Activation::kTanh, hidden, active.view());
    const View y = second.forward(active.view(), cache);
    double loss = 0;
    const auto size = static_cast<double>(dy.size());
    for (int64_t i = 0; i < dy.size(); ++i) {
      const double difference = static_cast<double>(y.data[i]) - target[i];
      loss += difference * difference / size;
      dy[i] = static_cast<float>(2 * difference / size);
    }
    losses.push_back(loss);
    parameters.clear_gradients();
    const View dactive = second.backward(dy.view(), cache);
    activation_backward(Activation::kTanh, hidden, dactive, dhidden.view());
    first.backward(dhidden.view(), cache);
    for (const auto& [name, index] : names) {
      results.add("step" + std::to_string(step) + "_grad_" + name, copy_of(parameters.gradient(index)));
    }
    optimizer.step();
    for (const auto& [name, index] : names) {
      results.add("step" + std::to_string(step + 1) + "_" + name, copy_of(parameters.value(index)));
    }
  }
  results.add("losses_before_each_step", row_of(losses));
}

namespace {

LanguageModelConfig model_of(const Case& reference) {
  LanguageModelConfig config{
      reference.integer("vocab", 0),
      reference.integer("n", 0),
      reference.integer("layers", 1),
      {{reference.integer("d_model", 0), reference.integer("heads", 1)}, reference.integer("ff", 0)}};
  const std::string scale = reference.text("scale", "rsqrt");
  if (scale == "none") {
    config.layer.attention.scale = 1.0f;
  } else if (scale != "rsqrt") {
    throw Skip("no scale " + scale);
  }
  config.layer.norm_first = true;
  config.layer.attention.bias = false;
  config.tied = false;
  config.final_norm = false;
  config.scale_embedding = true;
  return config;
}

// What a case calls the views of a model's parameters, q, k and v being rows of in_proj_weight.
template <class Use>
void each_weight(Parameters& parameters, bool gradients, const LanguageModelConfig& config, Use use) {
  const auto view = [&](const std::string& name) {
    const int index = parameters.find(name);
    return gradients ? parameters.gradient(index) : parameters.value(index);
  };
  use("emb", view("embedding.weight"));
  use("Wout", view("head.weight"));
  const int64_t d = config.layer.attention.d_model;
  for (int64_t i = 0; i < config.n_layers; ++i) {
    const std::string number = std::to_string(i), layer = "layers." + number + ".";
    const std::string ours = std::string("l").append(number).append("_");
    const View in_proj = view(layer + "self_attn.in_proj_weight");
    const char* projections[] = {"Wq", "Wk", "Wv"};
    for (int64_t j = 0; j < 3; ++j) use(ours + projections[j], View(in_proj.data + j * d * d, {d, d}));
    use(ours + "Wo", view(layer + "self_attn.out_proj.weight"));
    use(ours + "W1", view(layer + "linear1.weight"));
    use(ours + "W2", view(layer + "linear2.weight"));
    for (const char* norm : {"1", "2"}) {
      use(ours + "ln" + norm + "_g", view(layer + "norm" + norm + ".weight"));
      use(ours + "ln" + norm + "_b", view(layer + "norm" + norm + ".bias"));
    }
  }
}

}  // namespace

void torch_train_language_model(Case& reference, Results& results) {
  const LanguageModelConfig config = model_of(reference);
  const Indices tokens(reference.required("ids"));
  const int64_t batch = tokens.shape[0], n = tokens.shape[1] - 1;
  std::vector<int32_t> ids, target;
  for (int64_t i = 0; i < batch * n; ++i) {
    const auto at = static_cast<size_t>(i / n * (n + 1) + i % n);
    ids.push_back(tokens.values[at]), target.push_back(tokens.values[at + 1]);
  }
  const IndexView ids_view(ids.data(), {batch, n}), target_view(target.data(), {batch, n});

  Parameters parameters;
  const LanguageModel model(parameters, "", config);
  parameters.allocate();
  each_weight(parameters, false, config,
              [&](const std::string& name, View view) { copy_to(view, reference.required(name)); });
  Optimizer optimizer(parameters, config_of(reference));

  Cache cache;
  Floats log_probs({batch, n, config.vocab});
  const auto logits = [&] { return model.forward(ids_view, {}, false, cache, {}); };
  const auto loss = [&] { return cross_entropy_forward(logits(), target_view, {}, log_probs.view(), {}); };
  std::vector<double> losses;
  const Floats one({1}, 1);
  results.add("logits0", copy_of(logits()));
  for (int64_t step = 0; step < reference.integer("steps", 0); ++step) {
    losses.push_back(loss());
    parameters.clear_gradients();
    cross_entropy_backward(log_probs.view(), target_view, {}, one.view(), log_probs.view());
    model.backward(ids_view, log_probs.view(), {}, cache);
    if (step == 0) {
      each_weight(parameters, true, config,
                  [&](const std::string& name, View view) { results.add("grad0_" + name, copy_of(view)); });
    }
    optimizer.step();
  }
  results.add("losses", row_of(losses));
  results.add("final_logits", copy_of(logits()));
}

}  // namespace sqrtdk::conformance
