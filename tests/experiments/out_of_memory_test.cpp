// Memory that is not there: an experiment's error names the experiment.
#include "reference/out_of_memory.h"

#include "experiments/registry.h"
#include "experiments/run.h"

namespace sqrtdk::test {

TEST_CASE(
    "out of memory in any allocation of an experiment is an error that names it; the next run has its bits") {
  const std::pair<std::string, Text> runs[] = {
      {"article_snippet", {{"d", "8"}}},
      {"attention_steps", {}},
      {"training_race", {{"steps", "1"}, {"batch", "1"}, {"seeds", "1"}}},
  };
  for (const auto& run : runs) {
    const std::string& id = run.first;
    const Text& params = run.second;
    CAPTURE(id);
    const auto hash = [&] { return run_json(run_experiment(id, params)); };
    const std::string expected = hash();
    reference::fail_each_allocation(
        [&] {
          try {
            run_experiment(id, params);
          } catch (const OutOfMemory& error) {
            if (error.op != id) throw std::logic_error("another operator's error");
            throw;
          } catch (const std::bad_alloc&) {
            throw std::logic_error("no error of an operator");
          }
        },
        [] {});
    CHECK(hash() == expected);
  }
}

}  // namespace sqrtdk::test
