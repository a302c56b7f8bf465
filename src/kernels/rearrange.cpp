#include "kernels/rearrange.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "kernels/product/packing.h"
#include "kernels/strided.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using std::ptrdiff_t;

constexpr const char* kConcat = "concat";
constexpr int64_t kMaxSize = int64_t{1} << 40;  // of a shape

// How far apart the elements of each dimension lie.
struct Steps {
  ptrdiff_t of[Shape::kMaxRank];
  explicit Steps(const Shape& shape) {
    ptrdiff_t below = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      of[i] = below;
      below *= static_cast<ptrdiff_t>(shape[i]);
    }
  }
};

// From the places of each dimension's first step to those of its second.
void copy(Strided strided, const float* from, float* to) {
  const int rank = strided.rank();
  const Strided::Dimension last = strided.last();
  for (int i = 0; last.step[0] != 1 && i < rank - 1; ++i) {
    if (strided[i].step[0] != 1) continue;
    // Columns of `from` are rows of `to`: a transpose in blocks reads whole cache lines.
    std::swap(strided[i], strided[rank - 2]);
    const Strided::Dimension rows = strided[rank - 2];
    strided.each(2, [&](ptrdiff_t x, ptrdiff_t y) {
      product::transpose(from + x, last.step[0], last.size, rows.size, to + y, rows.step[1]);
    });
    return;
  }
  const ptrdiff_t whole = last.step[0] == 1 && last.step[1] == 1 ? last.size / 4 * 4 : 0;
  strided.each(1, [&](ptrdiff_t x, ptrdiff_t y) {
    ptrdiff_t i = 0;
    for (; i < whole; i += 4) simd::store(to + y + i, simd::load(from + x + i));
    for (; i < last.size; ++i) to[y + i * last.step[1]] = from[x + i * last.step[0]];
  });
}

[[noreturn]] void throw_wrong(const char* op, const char* argument, const std::string& expected,
                              std::span<const int64_t> got) {
  std::vector<std::string> texts;
  for (const int64_t number : got) texts.push_back(to_text(number));
  throw ShapeError(ErrorCode::kWrongShape, op, argument, expected, "(" + joined(texts) + ")");
}

// What a slice is of a dimension.
struct Places {
  int64_t start, step, count;
};

Places places_of(const Slice& slice, int64_t size) {
  const int64_t step = std::clamp(slice.step, -kMaxSize, kMaxSize);
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto clipped = [&](std::optional<int64_t> place, int64_t otherwise) {
    return place ? std::clamp(*place < 0 ? *place + size : *place, low, high) : otherwise;
  };
  const int64_t start = clipped(slice.start, step > 0 ? low : high);
  const int64_t distance = clipped(slice.end, step > 0 ? high : low) - start;
  // Rounded up, for distances of the step's sign.
  const int64_t count = step > 0 ? (distance + step - 1) / step : (distance + step + 1) / step;
  return {start, step, std::max<int64_t>(count, 0)};
}

Shape with(const Shape& shape, int axis, int64_t size) {
  int64_t dims[Shape::kMaxRank];
  for (int i = 0; i < shape.rank(); ++i) dims[i] = i == axis ? size : shape[i];
  return Shape(dims, shape.rank());
}

struct Order {
  int of[Shape::kMaxRank];
};

Order order_of(const Shape& x, std::span<const int64_t> given) {
  const int rank = x.rank();
  Order order;
  if (given.empty() && rank != 0) {
    check_rank("transpose", "x", x, 2, "(.., n, m)");
    for (int i = 0; i < rank; ++i) order.of[i] = i;
    std::swap(order.of[rank - 2], order.of[rank - 1]);
    return order;
  }
  bool seen[Shape::kMaxRank] = {};
  bool fits = static_cast<int64_t>(given.size()) == rank;
  for (int i = 0; fits && i < rank; ++i) {
    const int64_t axis = given[static_cast<size_t>(i)], from = axis < 0 ? axis + rank : axis;
    fits = from >= 0 && from < rank && !seen[from];
    if (!fits) break;
    seen[from] = true;
    order.of[i] = static_cast<int>(from);
  }
  if (!fits) {
    throw_wrong("transpose", "order", "each of the " + to_text(rank) + " dimensions once", given);
  }
  return order;
}

}  // namespace

int axis_of(const char* op, int rank, int64_t axis) {
  if (axis < -rank || axis >= rank) throw_out_of_range(op, "axis", -rank, rank - 1, axis);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape reshape_shape(const Shape& x, std::span<const int64_t> dims) {
  const int64_t size = x.size();
  int64_t known = 1, found[Shape::kMaxRank], *open = nullptr;
  bool fits = dims.size() <= Shape::kMaxRank;
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    found[i] = dims[i];
    if (dims[i] == -1 && !open) {
      open = found + i;
    } else {
      fits = dims[i] >= 0 && dims[i] <= kMaxSize / std::max<int64_t>(known, 1);
      known *= fits ? dims[i] : 1;
    }
  }
  if (fits && open) {
    fits = known > 0 && size % known == 0;
    *open = fits ? size / known : 0;
  } else {
    fits = fits && known == size;
  }
  if (!fits) throw_wrong("reshape", "shape", "of " + to_text(size) + " elements", dims);
  return Shape(found, static_cast<int>(dims.size()));
}

Shape slice_shape(const Shape& x, std::span<const Slice> slices) {
  const auto count = static_cast<int>(std::min<size_t>(slices.size(), Shape::kMaxRank + 1));
  if (count > x.rank()) {
    throw_wrong_shape("slice", "x", "of at least " + to_text(slices.size()) + " dimensions", x);
  }
  int64_t dims[Shape::kMaxRank];
  for (int i = 0; i < x.rank(); ++i) {
    if (i < count && slices[static_cast<size_t>(i)].step == 0) {
      throw_out_of_range("slice", "step", "a whole number that is not 0", 0);
    }
    dims[i] = i < count ? places_of(slices[static_cast<size_t>(i)], x[i]).count : x[i];
  }
  return Shape(dims, x.rank());
}

void slice(ConstView x, std::span<const Slice> slices, View out) {
  check_shape("slice", "out", out.shape, slice_shape(x.shape, slices));
  const Steps from(x.shape), to(out.shape);
  const float* first = x.data;
  Strided strided;
  for (int i = 0; i < x.shape.rank(); ++i) {
    const bool given = i < static_cast<int>(slices.size());
    const Places places = places_of(given ? slices[static_cast<size_t>(i)] : Slice{}, x.shape[i]);
    if (places.count > 0) first += static_cast<ptrdiff_t>(places.start) * from.of[i];
    strided.add(static_cast<ptrdiff_t>(places.count), static_cast<ptrdiff_t>(places.step) * from.of[i],
                to.of[i]);
  }
  copy(strided, first, out.data);
}

Shape transpose_shape(const Shape& x, std::span<const int64_t> given) {
  const Order order = order_of(x, given);
  int64_t dims[Shape::kMaxRank];
  for (int i = 0; i < x.rank(); ++i) dims[i] = x[order.of[i]];
  return Shape(dims, x.rank());
}

void transpose(ConstView x, std::span<const int64_t> given, View out) {
  check_shape("transpose", "out", out.shape, transpose_shape(x.shape, given));
  const Order order = order_of(x.shape, given);
  const Steps from(x.shape), to(out.shape);
  Strided strided;
  for (int i = 0; i < x.shape.rank(); ++i) {
    strided.add(static_cast<ptrdiff_t>(out.shape[i]), from.of[order.of[i]], to.of[i]);
  }
  copy(strided, x.data, out.data);
}

Shape concat_shape(std::span<const ConstView> list, int64_t given) {
  if (list.empty()) {
    throw ValueError(ErrorCode::kEmpty, kConcat, "list", "at least 1 tensor", "none");
  }
  const Shape& first = list.front().shape;
  check_rank(kConcat, "list", first, 1, "(.., n)");
  const int axis = axis_of(kConcat, first.rank(), given);
  int64_t total = 0;
  for (const ConstView& x : list) {
    const Shape& shape = x.shape;
    check_shape(kConcat, "list", shape,
                shape.rank() == first.rank() ? with(first, axis, shape[axis]) : first);
    total += shape[axis];
  }
  return with(first, axis, total);
}

void concat(std::span<const ConstView> list, int64_t given, View out) {
  check_shape(kConcat, "out", out.shape, concat_shape(list, given));
  const int axis = axis_of(kConcat, out.shape.rank(), given);
  const auto block_of = [&](const Shape& shape) {  // what is together, of all that there is
    int64_t size = 1;
    for (int i = axis; i < shape.rank(); ++i) size *= shape[i];
    return static_cast<ptrdiff_t>(size);
  };
  const auto blocks = static_cast<ptrdiff_t>(out.shape.leading(out.shape.rank() - axis));
  float* to = out.data;
  for (const ConstView& x : list) {
    const ptrdiff_t size = block_of(x.shape);
    Strided strided;
    strided.add(blocks, size, block_of(out.shape));
    strided.add(size, 1, 1);
    copy(strided, x.data, to);
    to += size;
  }
}

}  // namespace sqrtdk
