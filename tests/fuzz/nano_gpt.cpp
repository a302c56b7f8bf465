// A small GPT-2, in one JSON file or in several, is refused, or its model computes the same with and without
// cached keys. Several files lie one after the other: byte 0, then the JSON, byte 0, and the only weight that
// is there.
#include "models/nano_gpt.h"

#include <algorithm>

#include "fuzz/file_model.h"
#include "models/nano_gpt_model.h"

namespace sqrtdk::fuzz {

void run(Bytes input) {
  refused([&] {
    NanoGptFile file;
    if (!input.empty() && input[0] == 0) {
      const auto end = std::find(input.begin() + 1, input.end(), 0);
      const Bytes json(input.begin() + 1, end);
      const Bytes weight(end == input.end() ? end : end + 1, input.end());
      file = read_nano_gpt(json, std::vector<NamedFile>{{"a.npy", weight}}, "fuzz", "file");
    } else {
      file = read_nano_gpt(input, "fuzz", "file");
    }
    run_model(nano_gpt_config(file.config), [&](Parameters& parameters) { load_nano_gpt(file, parameters); });
  });
}

}  // namespace sqrtdk::fuzz
