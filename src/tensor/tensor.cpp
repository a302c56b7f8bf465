#include "tensor/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr int64_t kAlignment = 64;              // bytes
constexpr int64_t kMaxSize = int64_t{1} << 40;  // elements
constexpr int64_t kMaxFloats = std::min(kMaxSize, int64_t{std::numeric_limits<std::ptrdiff_t>::max()} / 4);

std::string text_of(const int64_t* dims, int rank) {
  std::string text = "(";
  for (int i = 0; i < rank; ++i) text += (i ? ", " : "") + to_text(dims[i]);
  return text + (rank == 1 ? ",)" : ")");
}

[[noreturn]] void throw_out_of_memory(const char* op, int64_t floats) {
  throw OutOfMemory(
      ErrorCode::kOutOfMemory, op, "", "",
      floats < 0 ? to_text(floats) + " * 4" : to_text(static_cast<uint64_t>(floats) * sizeof(float)));
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims) : Shape(dims.begin(), static_cast<int>(dims.size())) {}

Shape::Shape(const int64_t* dims, int rank) {
  if (rank < 0 || rank > kMaxRank) {
    throw ShapeError(ErrorCode::kWrongShape, "shape", "rank", "of at most 6 dimensions", to_text(rank));
  }
  int64_t size = 1;  // of the dimensions that are not zero: products in any order stay in range
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = dims[i];
    if (dim < 0 || dim > kMaxSize / size) {
      throw ShapeError(ErrorCode::kWrongShape, "shape", "dimensions", "with a size of 0 .. 2^40",
                       text_of(dims, rank));
    }
    if (dim > 0) size *= dim;
    dims_[i] = dim;
  }
  rank_ = rank;
}

int64_t Shape::size() const { return leading(0); }

int64_t Shape::leading(int trailing) const {
  int64_t product = 1;
  for (int i = 0; i < rank_ - trailing; ++i) product *= dims_[i];
  return product;
}

Shape Shape::with_last(int64_t rows, int64_t columns) const {
  int64_t dims[kMaxRank];
  std::copy(dims_, dims_ + rank_, dims);
  dims[rank_ - 2] = rows;
  dims[rank_ - 1] = columns;
  return Shape(dims, rank_);
}

Shape Shape::first(int count) const {
  int64_t dims[kMaxRank];
  std::copy(dims_, dims_ + count, dims);
  return Shape(dims, count);
}

Shape Shape::first(int count, int64_t last) const {
  int64_t dims[kMaxRank + 1];
  std::copy(dims_, dims_ + count, dims);
  dims[count] = last;
  return Shape(dims, count + 1);
}

std::string Shape::text() const { return text_of(dims_, rank_); }

void throw_wrong_shape(const char* op, const char* argument, std::string_view expected, const Shape& got) {
  throw ShapeError(ErrorCode::kWrongShape, op, argument, std::string(expected), got.text());
}

void check_shape(const char* op, const char* argument, const Shape& shape, const Shape& expected) {
  if (shape == expected) return;
  throw_wrong_shape(op, argument, expected.text(), shape);
}

void check_rank(const char* op, const char* argument, const Shape& shape, int rank, const char* expected) {
  if (shape.rank() >= rank) return;
  throw_wrong_shape(op, argument, expected, shape);
}

Storage::Storage(int64_t floats) {
  if (floats < 0 || floats > kMaxFloats) throw_out_of_memory("storage", floats);
  const size_t bytes = static_cast<size_t>(floats > 0 ? floats : 1) * sizeof(float);
  void* block = nullptr;
  if (posix_memalign(&block, kAlignment, bytes) != 0 || !block) throw_out_of_memory("storage", floats);
  data_ = static_cast<float*>(block);
  size_ = floats;
}

Storage::~Storage() { std::free(data_); }

Storage::Storage(Storage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

float* Arena::floats(int64_t n) {
  if (n < 0 || n > storage_.size() - used_) throw_out_of_memory("arena", n);
  float* block = storage_.data() + used_;
  used_ = std::min(storage_.size(), used_ + padded(n));
  return block;
}

}  // namespace sqrtdk
