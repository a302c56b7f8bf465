// A trainer restores a checkpoint and goes on as its config says, or refuses it and is as it was.
#include "fuzz/fuzz.h"
#include "training/trainer.h"

namespace sqrtdk::fuzz {
namespace {

TrainerConfig smallest() {
  TrainerConfig config;
  config.task.length = 2;
  config.task.symbols = 2;
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 2;
  config.model.layer.d_ff = 2;
  config.batch = 1;
  return config;
}

}  // namespace

void run(Bytes input) {
  static Trainer trainer(smallest());
  static const std::vector<uint8_t> first = trainer.save();
  refused([&] { checkpoint_config(input); });
  if (refused([&] { trainer.restore(input); })) {
    CHECK(trainer.save() == first);
    return;
  }
  const std::vector<uint8_t> restored = trainer.save();
  Trainer other(trainer.config());
  other.restore(restored);
  CHECK(other.save() == restored);
  const bool stepped = !refused([&] { trainer.step(); });
  CHECK(stepped == !refused([&] { other.step(); }));
  CHECK(other.weight_hash() == trainer.weight_hash());
  trainer.restore(first);
}

}  // namespace sqrtdk::fuzz
