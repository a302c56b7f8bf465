#include "listing.h"

#include "base/decimal.h"

namespace sqrtdk::border {
namespace {

std::string_view next(std::string_view& text, char end) {
  const size_t size = std::min(text.find(end), text.size());
  const std::string_view field = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return field;
}

int64_t integer(std::string_view digits) {
  int64_t value = 0;
  for (const char digit : digits) value = 10 * value + (digit - '0');
  return value;
}

}  // namespace

void Listing::add(std::string_view name, const float* data, const Shape& shape) {
  if (name.find('\0') != std::string_view::npos) {
    throw FormatError(ErrorCode::kUnsupported, "tensors", "name", "a name without U+0000", std::string(name));
  }
  if (!text_.empty()) text_ += '\0';
  text_ += name;
  text_ += '\0' + to_text(reinterpret_cast<Pointer>(data));
  for (int i = 0; i < shape.rank(); ++i) text_ += ',' + to_text(shape[i]);
}

void Listing::add(const Parameters& parameters, const float* block) {
  const auto add_one = [&](const std::string& name, int index) {
    const Parameter& parameter = parameters.list()[static_cast<size_t>(index)];
    add(name, block + parameter.offset, parameter.shape);
  };
  for (size_t i = 0; i < parameters.list().size(); ++i) {
    add_one(parameters.list()[i].name, static_cast<int>(i));
  }
  for (const auto& [name, index] : parameters.aliases()) add_one(name, index);
}

std::vector<Listed> listed(std::string_view listing) {
  std::vector<Listed> all;
  while (!listing.empty()) {
    const std::string_view name = next(listing, '\0');
    std::string_view place = next(listing, '\0');
    const auto pointer = static_cast<Pointer>(integer(next(place, ',')));
    int64_t dims[Shape::kMaxRank];
    int rank = 0;
    while (!place.empty() && rank < Shape::kMaxRank) dims[rank++] = integer(next(place, ','));
    all.push_back({std::string(name), pointer, Shape(dims, rank)});
  }
  return all;
}

Metadata metadata_of(std::string_view text) {
  Metadata metadata;
  const Request pairs(text);
  for (const auto& [key, value] : pairs.params) metadata.emplace_back(key, value);
  return metadata;
}

}  // namespace sqrtdk::border
