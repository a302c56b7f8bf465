// Trained models: what they computed elsewhere, and how they fare with and without the scale.
#include <algorithm>
#include <cmath>

#include "conformance/goldens.h"
#include "conformance/operators.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/scale.h"
#include "kernels/softmax.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/nano_gpt_model.h"
#include "models/tokenizer.h"

namespace sqrtdk::conformance {
namespace {

using Ids = std::vector<int32_t>;

// The goldens call the head dimension d_k.
float scale_of(std::string name, int64_t d_k) {
  const size_t suffix = name.find("_k");
  if (suffix != std::string::npos) name.erase(suffix, 2);
  return parse_scale("weights", name).at(d_k);
}

template <class Values>
Floats floats(const Values& values) {
  Floats copy({static_cast<int64_t>(values.size())});
  std::transform(values.begin(), values.end(), copy.view().data,
                 [](auto value) { return static_cast<float>(value); });
  return copy;
}

Floats copy_of(ConstView view) {
  Floats copy(view.shape);
  std::copy_n(view.data, view.shape.size(), copy.view().data);
  return copy;
}

class Story {
 public:
  explicit Story(const Case& reference)
      : file_(read_bytes(reference.place.parent_path() / (reference.name + ".bin"))),
        weights_(read_llama2c(file_, "conformance", "model")),
        tokenizer_(read_bytes(reference.place.parent_path() / "tok512.bin"), weights_.config.vocab,
                   "conformance", "tokenizer"),
        model_(parameters_, "", llama2c_config(weights_.config)),
        past_(model_.make_cache(1)) {
    parameters_.allocate();
    load_llama2c(weights_, parameters_);
    parameters_.pack();
  }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  AttentionOptions attention(const std::string& scale) const {
    AttentionOptions options;
    options.scale = scale_of(scale, model_.config().layer.attention.d_head);
    return options;
  }
  Ids greedy(const std::string& prompt, size_t length, const std::string& scale) {
    Ids ids = tokenizer_.encode(prompt);
    GenerateOptions options{static_cast<int64_t>(length - ids.size())};
    options.attention = attention(scale);
    past_.clear();
    const Ids made = generate(model_, ids, options, past_, cache_);
    ids.insert(ids.end(), made.begin(), made.end());
    return ids;
  }
  Likelihood likelihood(const std::string& text, const std::string& scale) {
    return negative_log_likelihood(model_, tokenizer_.encode(text), attention(scale), cache_);
  }
  // After the text but its last token.
  std::vector<float> logits(const std::string& text, const std::string& scale, size_t count) {
    const Ids ids = tokenizer_.encode(text);
    past_.clear();
    const View all = model_.decode({ids.data(), {1, static_cast<int64_t>(ids.size()) - 1}}, attention(scale),
                                   past_, cache_);
    return {all.data, all.data + count};
  }

 private:
  std::vector<uint8_t> file_;
  Llama2cFile weights_;
  Tokenizer tokenizer_;
  Parameters parameters_;
  LanguageModel model_;
  KeyValueCache past_;
  Cache cache_;
};

void add_expected(Case& reference, const std::string& name, double value) {
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = "float64";
  tensor.values = {value};
  reference.outputs.push_back(std::move(tensor));
}

// Six digits, and the six that the model says after them.
bool sorts(const LanguageModel& model, Ids digits, const GenerateOptions& options, KeyValueCache& past,
           Cache& cache) {
  past.clear();
  const Ids sorted = generate(model, digits, options, past, cache);
  std::sort(digits.begin(), digits.end());
  return sorted == digits;
}

double count_sorted(const LanguageModel& model, const std::string& scale, Cache& cache) {
  GenerateOptions options{6};
  options.attention.scale = scale_of(scale, model.config().layer.attention.d_head);
  KeyValueCache past = model.make_cache(1);
  double count = 0;
  for (int32_t number = 0; number < 729; ++number) {
    Ids digits;
    for (int32_t rest = number, i = 0; i < 6; ++i, rest /= 3) digits.push_back(rest % 3);
    if (sorts(model, digits, options, past, cache)) ++count;
  }
  return count;
}

// The projections of all heads side by side: q, k, v [1, heads, n, d] -> [1, n, 3 heads d].
Floats side_by_side(const Cache& cache, const std::string& name) {
  const Shape shape = cache.at(name + "q").shape;
  const int64_t heads = shape[1], n = shape[2], d = shape[3];
  Floats all({1, n, 3 * heads * d});
  int64_t column = 0;
  for (const char* part : {"q", "k", "v"}) {
    const View x = cache.at(name + part);
    for (int64_t i = 0; i < heads * n * d; ++i) {
      const int64_t head = i / d / n, row = i / d % n;
      all[row * 3 * heads * d + column + head * d + i % d] = x.data[i];
    }
    column += heads * d;
  }
  return all;
}

}  // namespace

// softmax(causal(scale · qk)) of given products qk [layers, heads, n, n]: attention of q = qk to k = I.
void weights_attention_maps(Case& reference, Results& results) {
  const Floats q(reference.required("qk_raw"));
  const Shape shape = q.shape();
  Floats k(shape, 0), scores(shape), weights(shape), out(shape);
  for (int64_t row = 0; row < k.size() / shape[3]; ++row) k[row * shape[3] + row % shape[2]] = 1;
  AttentionOptions options;
  options.scale = static_cast<float>(reference.number("scale", 1));
  options.causal = Causal::kTopLeft;
  attention_forward(q.view(), k.view(), k.view(), options, scores.view(), weights.view(), out.view());
  results.add("softmax", weights);
}

void weights_story(Case& reference, Results& results) {
  Story story(reference);
  const nlohmann::json& goldens = reference.attributes;
  int index = 0;
  for (const auto& each : goldens.at("tokenize")) {
    const std::string text = each.at("text").get<std::string>();
    results.add("tokenize " + std::to_string(index++), floats(story.tokenizer().encode(text)));
  }
  index = 0;
  for (const auto& each : goldens.at("greedy")) {
    const std::string name = "greedy " + std::to_string(index++);
    const Ids ids = story.greedy(each.at("prompt").get<std::string>(), each.at("ids").size(),
                                 each.at("scale").get<std::string>());
    results.add(name + " ids", floats(ids));
    results.add(name + " text", floats(story.tokenizer().decode(ids)));
  }
  index = 0;
  for (const auto& each : goldens.at("nll")) {
    const std::string name = "nll " + std::to_string(index++), text = each.at("text").get<std::string>(),
                      scale = each.at("scale").get<std::string>();
    const Likelihood likelihood = story.likelihood(text, scale);
    results.add(name, floats(likelihood.losses));
    results.add_scalar(name + " mean", likelihood.mean);
    results.add(name + " logits", floats(story.logits(text, scale, each.at("last_logits_first8").size())));
  }
  const Ids ids = story.greedy("", goldens.at("greedy_200_from_bos").at("ids").size(), "1/sqrt(d_k)");
  results.add("long ids", floats(ids));
  results.add("long text", floats(story.tokenizer().decode(ids)));
}

void weights_sort(Case& reference, Results& results) {
  const std::vector<uint8_t> json = read_bytes(reference.place / "case.json");
  const nlohmann::json description = nlohmann::json::parse(json);
  const auto& counts = description.at("all_729_sequences_sorted_correctly_by_scale").items();
  for (const auto& [scale, count] : counts) {
    add_expected(reference, "sorted " + scale, count.get<double>());
  }
  std::vector<std::vector<uint8_t>> contents;
  std::vector<NamedFile> files;
  for (const auto& input : description.at("inputs")) {
    contents.push_back(read_bytes(reference.place / input.at("file").get<std::string>()));
    files.push_back({input.at("file").get<std::string>(), contents.back()});
  }
  const NanoGptFile file = read_nano_gpt(json, files, "conformance", "model");
  Parameters parameters;
  const LanguageModel model(parameters, "", nano_gpt_config(file.config));
  parameters.allocate();
  load_nano_gpt(file, parameters);

  Cache cache;
  const Tensor* given = reference.output("idx");
  if (!given) throw std::runtime_error("case.json: no output idx");
  const Indices ids(*given);
  const View logits = model.forward(ids.view(), {}, true, cache, {});
  const auto add = [&](const char* name, const char* what) { results.add(name, copy_of(cache.at(what))); };
  results.add("idx", floats(ids.values).reshape(ids.shape));
  results.add("pos_emb", copy_of(parameters.value(parameters.find("positions.weight")))
                             .reshape({1, ids.shape[1], model.config().layer.attention.d_model}));
  add("tok_emb", "embedding.out"), add("x", "x"), add("ln1", "layers.0.norm1.out");
  results.add("qkv", side_by_side(cache, "layers.0.self_attn."));
  add("q", "layers.0.self_attn.q"), add("k", "layers.0.self_attn.k"), add("v", "layers.0.self_attn.v");
  add("att", "layers.0.self_attn.scores"), add("attSm", "layers.0.self_attn.weights");
  add("y", "layers.0.self_attn.concat"), add("yProj", "layers.0.self_attn.out_proj.out");
  add("attnResid", "layers.0.residual1"), add("ln2", "layers.0.norm2.out"), add("fc", "layers.0.linear1.out");
  add("gelu", "layers.0.hidden"), add("mlp", "layers.0.linear2.out"), add("mlpResid", "layers.0.residual2");
  add("block0", "layers.0.residual2"), add("block1", "layers.1.residual2");
  add("block2", "layers.2.residual2"), add("ln_f", "norm.out"), add("lm_head", "head.out");
  softmax_forward(logits, logits);
  results.add("probs", copy_of(logits));
  for (const auto& [scale, count] : counts) {
    results.add_scalar("sorted " + scale, count_sorted(model, scale, cache));
  }
}

}  // namespace sqrtdk::conformance
