#pragma once
// What the command prints for people.
#include <string>
#include <vector>

#include "lab/experiment.h"

namespace sqrtdk::cli {

using Table = std::vector<std::vector<std::string>>;  // rows of cells

/// Columns as wide as their widest cell, two blanks between them, none at the end of a line. Those from
/// right_from on are flush right.
std::string aligned(const Table& table, size_t right_from = 1000);

std::string help_text();
std::string help_text(const Experiment& experiment);  // its parameters with type, range and default
std::string list_text();
/// The printed lines, a table of the scalars, the verdict in words and the hash.
std::string run_text(const Run& run);

}  // namespace sqrtdk::cli
