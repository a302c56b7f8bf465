#include "models/checkpoint.h"

#include "base/errors.h"
#include "base/text.h"

namespace sqrtdk {
namespace {

struct Wrong {
  const char* title;
  const std::vector<std::string>& names;
};

// "missing: a, b; wrong shape: c"
std::string listed(std::initializer_list<Wrong> lists) {
  std::vector<std::string> parts;
  for (const auto& [title, names] : lists) {
    if (!names.empty()) parts.push_back(title + joined(names));
  }
  return joined(parts, "; ");
}

}  // namespace

NameDifference load_state(Parameters& parameters, std::span<const NamedTensor> tensors, const Match& match,
                          std::string_view op, std::string_view argument) {
  const std::span<const Parameter> list = parameters.list();
  std::vector<const NamedTensor*> sources(list.size(), nullptr);
  NameDifference difference;
  std::vector<std::string> wrong;
  for (const NamedTensor& tensor : tensors) {
    if (!tensor.name.starts_with(match.prefix)) continue;
    const std::string name = tensor.name.substr(match.prefix.size());
    const int index = parameters.find(name);
    if (index < 0) {
      difference.unexpected.push_back(name);
      continue;
    }
    const size_t i = static_cast<size_t>(index);
    sources[i] = &tensor;
    if (tensor.shape == list[i].shape) continue;
    wrong.push_back(name + " " + tensor.shape.text() + " instead of " + list[i].shape.text());
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!sources[i]) difference.missing.push_back(list[i].name);
  }
  const bool names_differ = !difference.missing.empty() || !difference.unexpected.empty();
  if (!wrong.empty() || (match.strict && names_differ)) {
    const std::vector<std::string> none;
    const std::string got = listed({{"missing: ", match.strict ? difference.missing : none},
                                    {"unexpected: ", match.strict ? difference.unexpected : none},
                                    {"wrong shape: ", wrong}});
    throw FormatError(ErrorCode::kUnsupported, op, argument, "the model's parameters", got);
  }
  for (const NamedTensor* source : sources) {
    if (source) check_bytes(*source, op, argument);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (sources[i]) write_values(*sources[i], parameters.value(static_cast<int>(i)).data);
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
