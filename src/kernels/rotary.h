#pragma once
// Rotary position embedding: pairs of components are rotated by angles proportional to the position, so that
// q·k depends on positions by their difference only. Su et al., "RoFormer", 2021.
#include "tensor/tensor.h"

namespace sqrtdk {

/// Pairs are (i, i + d_rot/2), or (2i, 2i + 1).
enum class RotaryPairs { kHalves, kInterleaved };

/// The number of positions up to which sincos of a double holds.
inline constexpr int64_t kMaxRotaryPositions = (1 << 20) + 1;

/// cos, sin: [n_positions, d_rot/2], of position · base^(-2i / d_rot), computed in double and rounded once:
/// within 2^-25 + 3e-16 · position of the exact value. Throws ShapeError, and ValueError unless base >= 1.
void rotary_table(double base, View cos, View sin);

/// x, out: [.., n, d] with d_rot = 2 · columns of cos <= d, components beyond d_rot copied; out may be x.
/// positions: rows of the tables, [n] or [first dimensions of x.., n]; empty: 0 .. n-1. Throws ShapeError,
/// and ValueError for a position that is no row.
void rotary_forward(ConstView x, ConstView cos, ConstView sin, IndexView positions, RotaryPairs pairs,
                    View out);

/// dx from dout: the rotation back. dx may be dout.
void rotary_backward(ConstView dout, ConstView cos, ConstView sin, IndexView positions, RotaryPairs pairs,
                     View dx);

}  // namespace sqrtdk
