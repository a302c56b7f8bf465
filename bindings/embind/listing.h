#pragma once
// Named tensors as text, in both directions: "name\0address,dimension,..\0name\0..", and what a file says of
// them.
#include <vector>

#include "convert.h"
#include "formats/safetensors.h"
#include "layers/parameters.h"

namespace sqrtdk::border {

class Listing {
 public:
  /// Throws FormatError for a name that holds '\0'.
  void add(std::string_view name, const float* data, const Shape& shape);
  /// All parameters, also by their other names; `block` holds their values or gradients.
  void add(const Parameters& parameters, const float* block);
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

struct Listed {
  std::string name;
  Pointer pointer;
  Shape shape;
};

std::vector<Listed> listed(std::string_view listing);

/// From "\0key\0value\0key\0value".
Metadata metadata_of(std::string_view text);

}  // namespace sqrtdk::border
