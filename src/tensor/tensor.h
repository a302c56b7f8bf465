#pragma once
// Shapes, views and storage. A view does not own; storage is 64-byte aligned; everything is row-major
// and contiguous. Kernels take views and never allocate: scratch comes from the caller's arena.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace sqrtdk {

class Shape {
 public:
  static constexpr int kMaxRank = 6;
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  Shape(const int64_t* dims, int rank);
  int rank() const { return rank_; }
  int64_t operator[](int i) const { return dims_[i < 0 ? rank_ + i : i]; }  // -1 is the last
  int64_t size() const;                                                     // product; 1 for rank 0
  int64_t leading(int trailing) const;                   // product of all but the last `trailing` dimensions
  Shape with_last(int64_t rows, int64_t columns) const;  // these as the last two, the others as they are
  Shape first(int count) const;                          // the first dimensions
  Shape first(int count, int64_t last) const;            // the first dimensions, then `last`
  std::string text() const;                              // "(2, 10, 512)"
  bool operator==(const Shape&) const = default;

 private:
  int64_t dims_[kMaxRank] = {};
  int rank_ = 0;
};

/// Throws ShapeError where `shape` is not `expected`.
void check_shape(const char* op, const char* argument, const Shape& shape, const Shape& expected);
/// Throws ShapeError where `shape` has fewer than `rank` dimensions; `expected` says which, e.g. "(.., n)".
void check_rank(const char* op, const char* argument, const Shape& shape, int rank, const char* expected);

/// Throws ShapeError.
[[noreturn]] void throw_wrong_shape(const char* op, const char* argument, std::string_view expected,
                                    const Shape& got);

template <class T>
struct BasicView {
  T* data = nullptr;
  Shape shape;
  BasicView() = default;
  BasicView(T* d, Shape s) : data(d), shape(s) {}
  template <class U>
  requires std::is_same_v<T, const U> BasicView(const BasicView<U>& other)
      : data(other.data), shape(other.shape) {}
  explicit operator bool() const { return data != nullptr; }
};
using View = BasicView<float>;
using ConstView = BasicView<const float>;
using MaskView = BasicView<const uint8_t>;
using IndexView = BasicView<const int32_t>;

/// Owning float storage, 64-byte aligned, not cleared; throws OutOfMemory.
class Storage {
 public:
  Storage() = default;
  explicit Storage(int64_t floats);
  ~Storage();
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  float* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  float* data_ = nullptr;
  int64_t size_ = 0;
};

/// Bump allocator over one block: a call's scratch is known before it runs. Throws OutOfMemory when
/// asked for more than it was made with.
class Arena {
 public:
  /// What a block of n floats takes, so that the next one is aligned: make an arena with the sum of these.
  static constexpr int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }
  explicit Arena(int64_t floats) : storage_(floats) {}
  float* floats(int64_t n);  // 64-byte aligned
  void reset() { used_ = 0; }
  int64_t used() const { return used_; }

 private:
  Storage storage_;
  int64_t used_ = 0;
};

}  // namespace sqrtdk
