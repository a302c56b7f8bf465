#pragma once
// Samples at one d and scale, and how they are drawn over d.
#include <cmath>

#include "lab/experiment.h"

namespace sqrtdk {

/// An empty line for each scale.
inline std::vector<Series> scale_lines(const std::vector<Scale>& scales) {
  std::vector<Series> lines;
  for (const Scale& scale : scales) lines.push_back({.name = scale.name, .role = role_of(scale)});
  return lines;
}

/// Norms of gradients of scaled scores as those of the scores before the scale.
inline std::vector<double> before_scale(std::vector<double> norms, const Scale& scale, int64_t d) {
  for (double& x : norms) x *= std::fabs(static_cast<double>(scale.at(d)));
  return norms;
}

}  // namespace sqrtdk
