#include "tensor/tensor.h"

#include <doctest/doctest.h>

#include <utility>

#include "base/errors.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;

TEST_CASE("shape: dimensions from both ends, size, text") {
  const Shape shape{2, 10, 512};
  CHECK(shape.rank() == 3);
  CHECK(shape[0] == 2);
  CHECK(shape[-1] == 512);
  CHECK(shape[-3] == 2);
  CHECK(shape.size() == 10240);
  CHECK(shape.leading(2) == 2);
  CHECK(shape.leading(3) == 1);
  CHECK(shape.text() == "(2, 10, 512)");
  CHECK(shape.with_last(3, 4) == Shape{2, 3, 4});
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{}.text() == "()");
  CHECK(Shape{5}.text() == "(5,)");
  CHECK(Shape{3, 0, 2}.size() == 0);
  CHECK(Shape{2, 3} != Shape{2, 3, 1});
  CHECK(Shape{2, 3} != Shape{3, 2});
}

TEST_CASE("shape: too many dimensions, negative ones and sizes that overflow are refused") {
  const int64_t huge = int64_t{1} << 62;
  CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1, 1, 1}), ShapeError);
  CHECK_THROWS_AS((Shape{2, -1}), ShapeError);
  CHECK_THROWS_AS((Shape{huge}), ShapeError);
  CHECK_THROWS_AS((Shape{huge, 0}), ShapeError);
  CHECK_THROWS_AS((Shape{1 << 20, 1 << 20, 2}), ShapeError);
  CHECK((Shape{1 << 20, 1 << 20}).size() == int64_t{1} << 40);
  CHECK_THROWS_AS(check_shape("op", "x", Shape{2}, Shape{3}), ShapeError);
  CHECK_THROWS_AS(check_rank("op", "x", Shape{2}, 2, "(m, n)"), ShapeError);
}

TEST_CASE("views: a writable view becomes a constant one; an empty view is false") {
  float x[6] = {};
  const View view(x, {2, 3});
  const ConstView constant = view;
  CHECK(constant.data == x);
  CHECK(constant.shape == Shape{2, 3});
  CHECK(static_cast<bool>(constant));
  CHECK_FALSE(static_cast<bool>(MaskView()));
}

TEST_CASE("storage: aligned, movable, and OutOfMemory for what no machine has") {
  for (const int64_t floats : {0, 1, 17, 1000}) {
    Storage storage(floats);
    CHECK(storage.size() == floats);
    CHECK(reinterpret_cast<uintptr_t>(storage.data()) % 64 == 0);
    for (int64_t i = 0; i < floats; ++i) storage.data()[i] = 1;
  }
  Storage a(3);
  float* data = a.data();
  Storage b = std::move(a);
  CHECK(b.data() == data);
  CHECK(b.size() == 3);
  Storage c(5);
  c = std::move(b);
  CHECK(c.data() == data);
  const OutOfMemory error = thrown_by<OutOfMemory>([&] { Storage storage(int64_t{1} << 50); });
  CHECK(error.code == ErrorCode::kOutOfMemory);
  CHECK(error.got == "4503599627370496");
  CHECK_THROWS_AS(Storage(-1), OutOfMemory);
}

TEST_CASE("arena: blocks are aligned and apart; more than it was made with is refused") {
  Arena arena(Arena::padded(5) + Arena::padded(20) + 3);
  float* five = arena.floats(5);
  float* twenty = arena.floats(20);
  float* three = arena.floats(3);
  for (float* block : {five, twenty, three}) CHECK(reinterpret_cast<uintptr_t>(block) % 64 == 0);
  CHECK(twenty >= five + 5);
  CHECK(three >= twenty + 20);
  three[2] = 1;
  CHECK_THROWS_AS(arena.floats(1), OutOfMemory);
  CHECK_THROWS_AS(arena.floats(-1), OutOfMemory);
  arena.reset();
  CHECK(arena.used() == 0);
  CHECK(arena.floats(5) == five);
}
