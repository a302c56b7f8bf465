#include "conformance/goldens.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace sqrtdk::conformance {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".goldens.json";

void add(Case& result, const std::string& name, std::vector<double> values) {
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = "float64";
  tensor.dims = {static_cast<int64_t>(values.size())};
  tensor.values = std::move(values);
  result.outputs.push_back(std::move(tensor));
}

void add_text(Case& result, const std::string& name, const std::string& text) {
  add(result, name, {text.begin(), text.end()});
}

}  // namespace

bool is_goldens(const fs::path& file) { return file.filename().string().ends_with(kEnding); }

Case read_goldens(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file.filename().string() + " cannot be opened");
  const json goldens = json::parse(stream);
  Case result;
  result.name = result.op = goldens.at("model").get<std::string>();
  result.place = file;
  result.attributes = goldens;
  // The largest difference of float32 logits from the file's float64 ones; ids and texts are exact within it.
  result.tolerance = Tolerance{1e-5, 2e-5};
  const auto numbers = [](const json& values) { return values.get<std::vector<double>>(); };
  int index = 0;
  for (const json& each : goldens.at("tokenize")) {
    add(result, "tokenize " + std::to_string(index++), numbers(each.at("ids_with_bos")));
  }
  index = 0;
  for (const json& each : goldens.at("greedy")) {
    const std::string name = "greedy " + std::to_string(index++);
    add(result, name + " ids", numbers(each.at("ids")));
    add_text(result, name + " text", each.at("text").get<std::string>());
  }
  index = 0;
  for (const json& each : goldens.at("nll")) {
    const std::string name = "nll " + std::to_string(index++);
    add(result, name, numbers(each.at("per_token_nll")));
    add(result, name + " mean", {each.at("mean_nll").get<double>()});
    add(result, name + " logits", numbers(each.at("last_logits_first8")));
  }
  add(result, "long ids", numbers(goldens.at("greedy_200_from_bos").at("ids")));
  add_text(result, "long text", goldens.at("greedy_200_from_bos").at("text").get<std::string>());
  return result;
}

std::vector<uint8_t> read_bytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.filename().string() + " cannot be opened");
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace sqrtdk::conformance
