// What is made and disposed of, and a trainer that goes on, need no more memory in the end than in the
// beginning.
#include <doctest/doctest.h>

#include <cstdlib>

#include "reference/allocations.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

/// scripts/memory asks for many.
int64_t times(int64_t few, int64_t many) { return std::getenv("SQRTDK_LONG") ? many : few; }

}  // namespace

TEST_CASE("growth 0: trainers that are made, make a step and are disposed of") {
  const auto cycle = [] { Trainer(smallest_trainer()).step(); };
  cycle();
  const size_t before = allocated_bytes();
  for (int64_t i = times(100, 10'000); i > 0; --i) cycle();
  CHECK(allocated_bytes() == before);
}

TEST_CASE("growth 0: a trainer that goes on, evaluates and saves itself") {
  Trainer trainer(smallest_trainer());
  const auto look = [&] {
    trainer.step();
    trainer.evaluate(4);
    trainer.look_at_heads(2);
    trainer.save();
  };
  look();
  look();
  const size_t before = allocated_bytes();
  for (int64_t i = times(1000, 100'000); i > 0; --i) trainer.step();
  look();
  CHECK(allocated_bytes() == before);
}
