#pragma once
// The options of sqrtdk train: the fields of a trainer's config, and its own.
#include <string>
#include <vector>

#include "training/trainer.h"

namespace sqrtdk::cli {

struct TrainOptions {
  bool help = false;
  TrainerConfig config;            // of the checkpoint, where there is one
  std::vector<uint8_t> resumed;    // the checkpoint to go on from, or empty
  int64_t steps = 1000;            // how many there are at the end, with those of the checkpoint
  int64_t record_every = 100;      // steps; 0: no records
  int64_t examples = 256;          // of the evaluation
  int64_t checkpoint_every = 500;  // steps; 0: at the end alone
  int64_t answers = 8;
  std::string log, checkpoint;  // paths, or empty
};

/// Reads the files that they name. Throws UsageError, ValueError and FormatError, which name the option.
TrainOptions parse_train(const std::vector<std::string>& words);

std::string train_help();

}  // namespace sqrtdk::cli
