#include "conformance/case.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "conformance/goldens.h"
#include "conformance/npy.h"

namespace sqrtdk::conformance {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// JSON has no infinities: they are strings, as is NaN.
double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text == "inf" || text == "Infinity") return INFINITY;
  if (text == "-inf" || text == "-Infinity") return -INFINITY;
  if (text == "nan" || text == "NaN") return NAN;
  throw std::runtime_error("case.json: not a number: " + text);
}

std::string text_of(const std::vector<int64_t>& dims) { return json(dims).dump(); }

Tensor read_tensor(const fs::path& folder, const json& entry, int position) {
  Tensor tensor;
  tensor.name = entry.at("name").get<std::string>();
  tensor.slot = entry.value("slot", position);
  tensor.dtype = entry.at("dtype").get<std::string>();
  const std::string file = entry.at("file").get<std::string>();
  NpyArray array = read_npy(folder / file);
  tensor.dims = std::move(array.dims), tensor.values = std::move(array.values);
  if (tensor.dtype == "bfloat16" && array.dtype == "uint16") {  // NumPy has no bfloat16: its bits
    for (double& value : tensor.values) value = bfloat16_value(static_cast<uint16_t>(value));
  } else if (tensor.dtype != array.dtype) {
    throw std::runtime_error(file + " holds " + array.dtype + ", case.json says " + tensor.dtype);
  }
  const auto dims = entry.at("shape").get<std::vector<int64_t>>();
  if (dims != tensor.dims) {
    throw std::runtime_error(file + " has the shape " + text_of(tensor.dims) + ", case.json says " +
                             text_of(dims));
  }
  if (entry.contains("torch_f32_max_abs_err")) tensor.torch_error = number_of(entry["torch_f32_max_abs_err"]);
  return tensor;
}

std::vector<Tensor> read_tensors(const fs::path& folder, const json& entries) {
  std::vector<Tensor> tensors;
  int position = 0;
  for (const json& entry : entries) {
    if (!entry.value("absent", false)) tensors.push_back(read_tensor(folder, entry, position));
    ++position;
  }
  return tensors;
}

void collect(const fs::path& folder, std::vector<fs::path>& found) {
  if (fs::exists(folder / "case.json")) return found.push_back(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) collect(entry.path(), found);
    if (is_goldens(entry.path())) found.push_back(entry.path());
  }
}

const Tensor& present(const Tensor* tensor, const std::string& name) {
  if (!tensor) throw std::runtime_error("case.json: no input " + name);
  return *tensor;
}

}  // namespace

const Tensor* Case::find(const std::vector<Tensor>& tensors, int slot) {
  for (const Tensor& tensor : tensors) {
    if (tensor.slot == slot) return &tensor;
  }
  return nullptr;
}

const Tensor* Case::find(const std::vector<Tensor>& tensors, const std::string& name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

const Tensor& Case::required(int slot) const {
  return present(input(slot), "in slot " + std::to_string(slot));
}
const Tensor& Case::required(const std::string& name) const { return present(input(name), name); }

bool Case::has(const std::string& attribute) const {
  return attributes.contains(attribute) && !attributes[attribute].is_null();
}

double Case::number(const std::string& attribute, double otherwise) const {
  return has(attribute) ? number_of(attributes[attribute]) : otherwise;
}

int64_t Case::integer(const std::string& attribute, int64_t otherwise) const {
  return has(attribute) ? static_cast<int64_t>(number_of(attributes[attribute])) : otherwise;
}

std::string Case::text(const std::string& attribute, const std::string& otherwise) const {
  return has(attribute) ? attributes[attribute].get<std::string>() : otherwise;
}

Case read_case(const fs::path& folder) {
  if (is_goldens(folder)) return read_goldens(folder);
  std::ifstream stream(folder / "case.json");
  if (!stream) throw std::runtime_error("case.json cannot be opened");
  const json description = json::parse(stream);
  Case result;
  result.name = folder.filename().string();
  result.place = folder;
  result.op = description.at("op").get<std::string>();
  result.suite = description.contains("domain") ? Suite::kOnnx : Suite::kTorch;
  result.attributes = description.value("attributes", json::object());
  if (description.contains("rows")) result.attributes["rows"] = description["rows"];
  result.inputs = read_tensors(folder, description.at("inputs"));
  result.outputs = read_tensors(folder, description.at("outputs"));
  if (description.contains("tolerance")) {
    const json& tolerance = description["tolerance"];
    result.tolerance =
        Tolerance{number_of(tolerance.value("rtol", json(0))), number_of(tolerance.at("atol"))};
  }
  return result;
}

std::vector<fs::path> find_cases(const fs::path& root) {
  std::vector<fs::path> found;
  collect(root, found);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sqrtdk::conformance
