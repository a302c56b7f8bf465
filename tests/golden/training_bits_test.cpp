// 1,000 steps give the weights' hash of training_dates.inc and training_sort.inc, in every build and browser;
// their lines are fields of the config and what Trainer::weight_hash says at the end.
#include <doctest/doctest.h>

#include <cstdio>

#include "training/config_text.h"

namespace sqrtdk {
namespace {

void check_hash(Texts fields) {
  const std::string expected = fields.extract("weight_hash").mapped();
  Trainer trainer(config_of(fields, "golden"));
  for (int i = 0; i < 1000; ++i) trainer.step();
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(trainer.weight_hash()));
  CHECK(hash == expected);
  CHECK(trainer.evaluate(64).token_accuracy > trainer.task().chance() + 0.05);
}

}  // namespace

TEST_CASE("1,000 steps of an encoder-decoder with dropout give the golden weights") {
  check_hash({
#include "golden/training_dates.inc"
  });
}

TEST_CASE("1,000 steps of an encoder without the scale give the golden weights") {
  check_hash({
#include "golden/training_sort.inc"
  });
}

}  // namespace sqrtdk
