#include "cli/generate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "kernels/attention/scale.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/tokenizer.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kUsage =
    "usage: sqrtdk generate --model FILE.bin --tokenizer FILE.bin [--prompt TEXT] [--steps N] [--scale "
    "SCALE]\n"
    "\n"
    "The most likely continuation of the text by a model of llama2.c, token by token. SCALE, by which the\n"
    "products q k are multiplied: 1/sqrt(d) (default), none, 1/d, 1/(2*sqrt(d)), where d is the head\n"
    "dimension, or a number.\n";

using Options = std::map<std::string, std::string>;

Options parse(const std::vector<std::string>& words) {
  Options options{{"model", ""}, {"tokenizer", ""}, {"prompt", ""}, {"steps", "200"}, {"scale", "default"}};
  for (size_t i = 0; i < words.size(); i += 2) {
    const auto option = words[i].starts_with("--") ? options.find(words[i].substr(2)) : options.end();
    if (option == options.end()) {
      throw UsageError("generate: unexpected " + clipped(words[i]) +
                       ", expected --model, --tokenizer, --prompt, --steps, --scale");
    }
    if (i + 1 == words.size()) throw UsageError("generate: " + words[i] + " needs a value");
    option->second = words[i + 1];
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

std::vector<uint8_t> read_bytes(const std::string& path, const char* argument) {
  const std::string bytes = read_file(path, "generate", argument);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int generate(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "--help") return std::fputs(kUsage, stdout) < 0 ? 1 : 0;
  const Options options = parse(words);
  constexpr const char* kFurther[] = {"default"};
  const Scale scale = parse_scale("generate", options.at("scale"), kFurther);
  const std::vector<uint8_t> bytes = read_bytes(options.at("model"), "model");
  const Llama2cFile file = read_llama2c(bytes, "generate", "model");
  const Tokenizer tokenizer(read_bytes(options.at("tokenizer"), "tokenizer"), file.config.vocab, "generate",
                            "tokenizer");
  Parameters parameters;
  const LanguageModel model(parameters, "", llama2c_config(file.config));
  parameters.allocate();
  load_llama2c(file, parameters);
  parameters.pack();

  const std::vector<int32_t> prompt = tokenizer.encode(options.at("prompt"));
  const int64_t room = file.config.context + 1 - static_cast<int64_t>(prompt.size());
  GenerateOptions how{std::min(steps_of(options.at("steps")), std::max<int64_t>(room, 1))};
  how.attention.scale = scale.at(file.config.head_size());
  how.stop = Tokenizer::kBos;  // which llama2.c's models put between stories
  int32_t before = prompt.back();
  std::string begin = options.at("prompt");  // written when it is known to fit
  how.on_token = [&](int32_t id) {
    std::fwrite(begin.data(), 1, begin.size(), stdout);
    begin.clear();
    const std::string_view text = tokenizer.text(before, id);
    before = id;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  KeyValueCache past = model.make_cache(1);
  Cache cache;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int32_t> made = generate_greedy(model, prompt, how, past, cache);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::puts(begin.c_str());  // nothing, unless no token was made
  std::fflush(stdout);
  const auto count = static_cast<double>(static_cast<int64_t>(prompt.size()) + std::ssize(made) - 1);
  std::fprintf(stderr, "%.0f tokens/s\n", count / seconds.count());
  return std::ferror(stdout) == 0 ? 0 : 1;
}

}  // namespace sqrtdk::cli
