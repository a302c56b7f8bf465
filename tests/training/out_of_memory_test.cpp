// Memory that is not there in a step of a trainer, and in its checkpoints.
#include "reference/out_of_memory.h"

#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

TrainerConfig smallest() {
  TrainerConfig config = smallest_trainer();
  config.max_gradient_norm = 1;
  return config;
}

}  // namespace

TEST_CASE(
    "out of memory in any allocation of a step: nothing is changed, and the step has its bits when "
    "repeated") {
  Trainer expected(smallest());
  const std::vector<uint8_t> begun = expected.save();
  expected.step();
  const std::vector<uint8_t> stepped = expected.save();
  std::unique_ptr<Trainer> trainer = std::make_unique<Trainer>(smallest());
  fail_each_allocation([&] { trainer->step(); },
                       [&] {
                         CHECK(trainer->save() == begun);
                         trainer->step();
                         CHECK(trainer->save() == stepped);
                         trainer = std::make_unique<Trainer>(smallest());
                       });
}

TEST_CASE("out of memory in any allocation of a trainer's beginning is typed") {
  fail_each_allocation([] { Trainer trainer(smallest()); }, [] {});
}

TEST_CASE("out of memory in any allocation of saving and restoring: the trainer is as it was") {
  Trainer other(smallest());
  other.step();
  other.step();
  const std::vector<uint8_t> checkpoint = other.save();
  Trainer trainer(smallest());
  const std::vector<uint8_t> begun = trainer.save();
  fail_each_allocation([&] { trainer.save(); }, [&] { CHECK(trainer.save() == begun); });
  fail_each_allocation([&] { trainer.restore(checkpoint); }, [&] { CHECK(trainer.save() == begun); });
  CHECK(trainer.save() == checkpoint);
}
