#include "cli/generate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "base/decimal.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "kernels/attention/scale.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/tokenizer.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kUsage =
    "usage: sqrtdk generate --model FILE.bin --tokenizer FILE.bin [--prompt TEXT] [--steps N]\n"
    "                       [--scale SCALE] [--weights f32|bf16|int8]\n"
    "                       [--temperature T [--top_k K] [--top_p P] [--seed N]]\n"
    "\n"
    "A continuation of the text by a model of llama2.c, token by token. SCALE, by which the products q k "
    "are\n"
    "multiplied: 1/sqrt(d) (default), none, 1/d, 1/(2*sqrt(d)), where d is the head dimension, or a number.\n"
    "\n"
    "The weights of products are kept as they are (f32, the default), rounded to bfloat16, or as int8 with "
    "a\n"
    "scale for each row; activations and sums are f32.\n"
    "\n"
    "Without a temperature, or with 0, each token is the most likely one. Otherwise it is drawn:\n"
    "  --temperature T   from softmax(logits / T)\n"
    "  --top_k K         among the K most likely tokens (0, the default: all)\n"
    "  --top_p P         of these, among the most likely whose probabilities together reach P, at most 1, "
    "the\n"
    "                    default\n"
    "  --seed N          0 (default) to 2^64 - 1; the same seed draws the same text\n";

using Options = std::map<std::string, std::string>;

Options parse(const std::vector<std::string>& words) {
  Options options{{"model", ""},        {"tokenizer", ""},  {"prompt", ""},      {"steps", "200"},
                  {"scale", "default"}, {"weights", "f32"}, {"temperature", ""}, {"top_k", ""},
                  {"top_p", ""},        {"seed", ""}};
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string word = words[i].substr(0, equals);
    const auto option = word.starts_with("--") ? options.find(word.substr(2)) : options.end();
    if (option == options.end()) {
      throw UsageError(
          "generate: unexpected " + clipped(word) +
          ", expected --model, --tokenizer, --prompt, --steps, --scale, --weights, --temperature, --top_k, "
          "--top_p, --seed");
    }
    if (equals == std::string::npos && i + 1 == words.size()) {
      throw UsageError("generate: " + word + " needs a value");
    }
    option->second = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
  }
  for (const char* name : {"model", "tokenizer"}) {
    if (options.at(name).empty()) throw UsageError(std::string("generate: expected --") + name + " FILE");
  }
  return options;
}

int64_t steps_of(const std::string& text) {
  const std::optional<int64_t> steps = parse_integer(text);
  if (steps && *steps >= 1) return *steps;
  throw UsageError("generate: --steps " + clipped(text) + ", expected 1 or more");
}

WeightFormat weights_of(const std::string& text) {
  constexpr auto& kNames = Choices<WeightFormat>::kNames;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return static_cast<WeightFormat>(i);
  }
  throw UsageError("generate: --weights " + clipped(text) + ", expected f32, bf16 or int8");
}

/// What `parse` makes of the option's text; `otherwise` where it is not given.
template <class T, class Parse>
T number_of(const Options& options, const char* name, T otherwise, const char* expected, Parse parse) {
  const std::string& text = options.at(name);
  if (text.empty()) return otherwise;
  if (options.at("temperature").empty()) {
    throw UsageError(std::string("generate: --") + name + " needs a --temperature");
  }
  if (const std::optional<T> number = parse(text)) return *number;
  throw UsageError(std::string("generate: --") + name + " " + clipped(text) + ", expected " + expected);
}

Sampling sampling_of(const Options& options) {
  Sampling sampling;
  sampling.temperature = number_of(options, "temperature", 0.0, "0 or a positive number", parse_double);
  sampling.top_k = number_of(options, "top_k", int64_t{0}, "0 or more", parse_integer);
  sampling.top_p = number_of(options, "top_p", 1.0, "0 .. 1, without 0", parse_double);
  sampling.seed = number_of(options, "seed", uint64_t{0}, "0 .. 2^64 - 1", parse_unsigned);
  check_sampling("generate", sampling);
  return sampling;
}

std::vector<uint8_t> read_bytes(const std::string& path, const char* argument) {
  const std::string bytes = read_file(path, "generate", argument);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int generate(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    print(kUsage);
    return 0;
  }
  const Options options = parse(words);
  constexpr const char* kFurther[] = {"default"};
  const Scale scale = parse_scale("generate", options.at("scale"), kFurther);
  const Sampling sampling = sampling_of(options);
  const WeightFormat weights = weights_of(options.at("weights"));
  const std::vector<uint8_t> bytes = read_bytes(options.at("model"), "model");
  const Llama2cFile file = read_llama2c(bytes, "generate", "model");
  const Tokenizer tokenizer(read_bytes(options.at("tokenizer"), "tokenizer"), file.config.vocab, "generate",
                            "tokenizer");
  Parameters parameters;
  const LanguageModel model(parameters, "", llama2c_config(file.config));
  parameters.allocate();
  load_llama2c(file, parameters);
  parameters.pack(weights);

  const std::vector<int32_t> prompt = tokenizer.encode(options.at("prompt"));
  const int64_t room = file.config.context + 1 - static_cast<int64_t>(prompt.size());
  GenerateOptions how{std::min(steps_of(options.at("steps")), std::max<int64_t>(room, 1))};
  how.attention.scale = scale.at(file.config.head_size());
  how.sampling = sampling;
  how.stop = Tokenizer::kBos;  // which llama2.c's models put between stories
  int32_t before = prompt.back();
  std::string begin = options.at("prompt");  // written when it is known to fit
  how.on_token = [&](int32_t id) {
    print(begin.append(tokenizer.text(before, id)));
    begin.clear();
    before = id;
  };
  KeyValueCache past = model.make_cache(1);
  Cache cache;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int32_t> made = sqrtdk::generate(model, prompt, how, past, cache);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  print(begin + "\n");  // the end of the line alone, unless no token was made
  const auto count = static_cast<double>(static_cast<int64_t>(prompt.size()) + std::ssize(made) - 1);
  std::fprintf(stderr, "%.0f tokens/s\n", count / seconds.count());
  return 0;
}

}  // namespace sqrtdk::cli
