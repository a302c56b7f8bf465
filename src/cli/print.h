#pragma once
// What the command prints for people.
#include <string>

#include "experiments/experiment.h"

namespace sqrtdk::cli {

std::string help_text();
std::string help_text(const Experiment& experiment);  // its parameters with type, range and default
std::string list_text();
/// The printed lines, a table of the scalars, the verdict in words and the hash.
std::string run_text(const Run& run);

}  // namespace sqrtdk::cli
