// A llama2.c file is refused, or its model computes the same with and without cached keys.
#include "models/llama2c.h"

#include "fuzz/file_model.h"
#include "models/llama2c_model.h"

namespace sqrtdk::fuzz {

void run(Bytes input) {
  refused([&] {
    const Llama2cFile file = read_llama2c(input, "fuzz", "file");
    run_model(llama2c_config(file.config), [&](Parameters& parameters) { load_llama2c(file, parameters); });
  });
}

}  // namespace sqrtdk::fuzz
