#pragma once
// Named tensors as text, in both directions: "name\0address,dimension,..\0name\0..".
#include <vector>

#include "convert.h"
#include "tensor/tensor.h"

namespace sqrtdk::border {

class Listing {
 public:
  /// Throws FormatError for a name that holds '\0'.
  void add(std::string_view name, const float* data, const Shape& shape);
  void answer() { set_answer(std::move(text_)); }

 private:
  std::string text_;
};

struct Listed {
  std::string name;
  Pointer pointer;
  Shape shape;
};

std::vector<Listed> listed(std::string_view listing);

}  // namespace sqrtdk::border
