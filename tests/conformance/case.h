#pragma once
// A reference case: a folder with case.json and one .npy file per tensor.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sqrtdk::conformance {

struct Tensor {
  std::string name, dtype;
  int slot = 0;
  std::vector<int64_t> dims;
  std::vector<double> values;
  std::optional<double> torch_error;  // what PyTorch itself loses in float32
};

struct Tolerance {
  double relative, absolute;
};

/// ONNX cases have a domain and know tensors by slot; PyTorch's have none and know them by name.
enum class Suite { kOnnx, kTorch };

struct Case {  // NOLINT(bugprone-exception-escape): moving nlohmann::json is noexcept, but asserts
  std::string name, op;
  std::filesystem::path place;  // the folder, or the goldens' file
  Suite suite = Suite::kTorch;
  nlohmann::json attributes;
  std::vector<Tensor> inputs, outputs;
  std::optional<Tolerance> tolerance;

  // Null where the case has none.
  const Tensor* input(int slot) const { return find(inputs, slot); }
  const Tensor* input(const std::string& name) const { return find(inputs, name); }
  const Tensor* output(int slot) const { return find(outputs, slot); }
  const Tensor* output(const std::string& name) const { return find(outputs, name); }

  // Throw where the case has none.
  const Tensor& required(int slot) const;
  const Tensor& required(const std::string& name) const;

  bool has(const std::string& attribute) const;
  double number(const std::string& attribute, double otherwise) const;
  int64_t integer(const std::string& attribute, int64_t otherwise) const;
  std::string text(const std::string& attribute, const std::string& otherwise) const;

 private:
  static const Tensor* find(const std::vector<Tensor>& tensors, int slot);
  static const Tensor* find(const std::vector<Tensor>& tensors, const std::string& name);
};

/// Reads a folder, or a file of goldens. Throws std::exception where a file is missing or malformed.
Case read_case(const std::filesystem::path& place);

/// The folders with a case.json and the files *.goldens.json at or below `root`, sorted.
std::vector<std::filesystem::path> find_cases(const std::filesystem::path& root);

}  // namespace sqrtdk::conformance
