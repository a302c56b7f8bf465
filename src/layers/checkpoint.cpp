#include "layers/checkpoint.h"

#include "tensor/errors.h"

namespace sqrtdk {
namespace {

std::string listed(const char* title, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? title : ", ") + name;
  return text;
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() || part.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

NameDifference load_state(Parameters& parameters, std::span<const NamedTensor> tensors, bool strict,
                          const std::string& op, const std::string& argument) {
  const std::span<const Parameter> list = parameters.list();
  std::vector<const NamedTensor*> sources(list.size(), nullptr);
  NameDifference difference;
  std::vector<std::string> wrong;
  for (const NamedTensor& tensor : tensors) {
    const int index = parameters.find(tensor.name);
    if (index < 0) {
      difference.unexpected.push_back(tensor.name);
      continue;
    }
    const size_t i = static_cast<size_t>(index);
    sources[i] = &tensor;
    if (tensor.shape == list[i].shape) continue;
    wrong.push_back(tensor.name + " " + tensor.shape.text() + " instead of " + list[i].shape.text());
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!sources[i]) difference.missing.push_back(list[i].name);
  }
  const bool names_differ = !difference.missing.empty() || !difference.unexpected.empty();
  if (!wrong.empty() || (strict && names_differ)) {
    std::string got = listed("wrong shape: ", wrong);
    if (strict) {
      got = joined(
          {listed("missing: ", difference.missing), listed("unexpected: ", difference.unexpected), got});
    }
    throw FormatError(ErrorCode::kUnsupported, op, argument, "the model's parameters", got);
  }
  for (const NamedTensor* source : sources) {
    if (source) check_bytes(*source, op, argument);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (sources[i]) copy_values(*sources[i], parameters.value(static_cast<int>(i)));
  }
  return difference;
}

std::vector<uint8_t> save_state(const Parameters& parameters, Encoding encoding, const Metadata& metadata) {
  std::vector<TensorToWrite> tensors;
  const std::span<const Parameter> list = parameters.list();
  for (size_t i = 0; i < list.size(); ++i) {
    tensors.push_back({list[i].name, parameters.value(static_cast<int>(i))});
  }
  return write_safetensors(tensors, encoding, metadata);
}

}  // namespace sqrtdk
