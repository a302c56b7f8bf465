#pragma once
// What an experiment is: one claim made checkable. To add one:
//   1. src/experiments/<id>.cpp defines `const Experiment <id>` in namespace sqrtdk::experiments;
//   2. tests/experiments/<id>_test.cpp asserts its claim with its standard error;
//   3. one line in experiments.inc registers it.
// Sliders, charts, tables and exports of the page, the native command and the JavaScript API follow
// from the description; title and prose are web/content/{en,zh}/lab/<id>.md.
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/params.h"
#include "lab/progress.h"
#include "lab/result.h"

namespace sqrtdk {

/// The laboratory's five rooms.
enum class Group { kClaim, kWhy, kBreaks, kWhere, kRest };

/// Every name that the results may carry: the page has a word for each in both languages. Names that need
/// none are numbers, texts of parameters and the reader's own words.
struct Words {
  using Names = std::initializer_list<const char*>;
  Names verdicts{};
  Names scalars{}, labels{};  // labels: what tells scalars or figures of one name apart, e.g. "d"
  Names figures{}, axes{}, series{};
  Names values{};  // of labels, and names of rows and columns
};

struct Experiment {
  const char* id;
  const char* question;  // English, one line
  const char* source;    // e.g. "article 1, runnable example"
  Group group;
  int chapter = 0;  // of the story; 0: it is in the laboratory only
  std::span<const Param> params;
  /// Checks what depends on several parameters, begins the meter with the whole work, then computes.
  Result (*run)(const Params&, ProgressMeter&);
  std::span<const Preset> presets{};
  bool timed = false;  // every result is
  Words words{};
};

const std::vector<const Experiment*>& all_experiments();   // in the laboratory's order
const Experiment& find_experiment(const std::string& id);  // throws ValueError naming the known ids
/// The WebAssembly module that holds it: "first" or "experiments".
const char* module_of(const Experiment& experiment);
/// Throws ValueError naming the experiment's presets.
const Preset& find_preset(const Experiment& experiment, const std::string& name);

struct Run {  // a finished run with its checked parameters
  const Experiment* experiment;
  Params params;
  Result result;
};
Run run_experiment(const std::string& id, const std::map<std::string, std::string>& params,
                   const Progress& progress = {});
/// What the run begins its meter with: the page runs small ones at once and others in a worker. Throws what
/// the run throws for these parameters.
double estimated_work(const std::string& id, const std::map<std::string, std::string>& params);

/// The one JSON form of descriptions and results, for the command, the page and JavaScript.
/// Numbers with 17 digits (exact), NaN as null, infinities as 1e999.
std::string describe_json(const Experiment& experiment);
std::string describe_all_json();
std::string run_json(const Run& run);

}  // namespace sqrtdk
