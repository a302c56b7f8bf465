#pragma once
// What a forward pass leaves for the backward pass and for readers: tensors by name, such as
// "layers.0.self_attn.weights". Their memory stays from step to step.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layers/mode.h"
#include "tensor/tensor.h"

namespace sqrtdk {

/// The name of a tensor in a cache, with its hash: layers make theirs once.
class CacheName {
 public:
  CacheName(std::string text = {});
  CacheName(const char* text);
  const std::string& text() const { return text_; }
  /// By their hashes: names share long beginnings.
  bool operator<(const CacheName& other) const {
    return hash_ != other.hash_ ? hash_ < other.hash_ : text_ < other.text_;
  }

 private:
  std::string text_;
  size_t hash_;
};

class Cache {
 public:
  /// The tensor `name` with this shape, its numbers not set. What it held is lost; its memory is used again
  /// where it suffices. Throws OutOfMemory.
  View make(const CacheName& name, const Shape& shape);
  /// Throws ValueError where there is none of that name.
  View at(const CacheName& name) const;
  bool has(const CacheName& name) const;
  std::vector<std::string> names() const;

  /// Remembers a view of a tensor that others own, such as a layer's input, until backward asks for it.
  void keep(const CacheName& name, ConstView view);
  /// Throws ValueError where none of that name was kept.
  ConstView kept(const CacheName& name) const;

  /// The mode of the forward pass that filled the cache: layers that draw set it, so that backward draws the
  /// same.
  Mode mode;

  /// For a single call: an arena with at least this many floats, empty. It ends the use of the last one.
  Arena& scratch(int64_t floats);

 private:
  struct Entry {
    Storage storage;
    Shape shape;
  };
  std::map<CacheName, Entry> entries_;
  std::map<CacheName, ConstView> kept_;
  std::optional<Arena> scratch_;
  int64_t scratch_size_ = 0;
};

}  // namespace sqrtdk
