#pragma once
// Operands of products rearranged into panels: kWidth rows or columns side by side, of which a tile reads one
// vector after the other.
#include <cstddef>

namespace sqrtdk::product {

/// panels [n / kWidth rounded up][k][kWidth] of the rows of x [n, k], which are x_step apart; rows beyond n
/// are zeros. kWidth is 4 or 8.
template <int kWidth>
void pack_rows(const float* x, std::ptrdiff_t x_step, std::ptrdiff_t n, std::ptrdiff_t k,
               float* panels) noexcept;

/// panels [n / kWidth rounded up][height][kWidth] of the columns of x [k, n], whose rows are x_step apart;
/// columns beyond n are zeros, rows from k to height are left as they are. kWidth is 4 or 8.
template <int kWidth>
void pack_columns(const float* x, std::ptrdiff_t x_step, std::ptrdiff_t k, std::ptrdiff_t n,
                  std::ptrdiff_t height, float* panels) noexcept;

/// rows[columns][k], a step apart, of x [k, columns], whose rows are x_step apart.
void transpose(const float* x, std::ptrdiff_t x_step, std::ptrdiff_t k, std::ptrdiff_t columns, float* rows,
               std::ptrdiff_t step) noexcept;

}  // namespace sqrtdk::product
