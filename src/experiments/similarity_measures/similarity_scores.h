#pragma once
// The scores of similarity_measures for n queries and n keys, four ways.
#include "tensor/tensor.h"

namespace sqrtdk {

/// q·k; q·k / (|q| |k|); |q - k|² as |q|² + |k|² - 2 q·k, of one product and the lengths; |q - k|² difference
/// by difference, in plain loops.
enum class SimilarityWay { kDot, kCosine, kEuclidean, kEuclideanDirect };

/// q: [n_q, d], k: [n_k, d]. scores: [n_q, n_k]. squares: scratch, [n_q + n_k]. Throws ShapeError.
void similarity_scores(SimilarityWay way, ConstView q, ConstView k, View scores, View squares);

}  // namespace sqrtdk
