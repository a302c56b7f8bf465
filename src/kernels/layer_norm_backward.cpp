// In double after the row's sums, so that what is rounded is the result. Rows in blocks: within a block
// the parameters' gradients are summed in registers, a few columns at a time.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/layer_norm.h"
#include "kernels/product/row_sums.h"

namespace sqrtdk {
namespace {

using namespace simd;
using std::ptrdiff_t;

constexpr ptrdiff_t kRowBlock = 16, kSharedRows = 32 * kRowBlock;

// A row's xhat = (x - mean - rest) · scale. `rest` is what rounding took from the mean, which matters where
// the mean is large. (mean and rest are 0 in rms_norm.)
struct RowStats {
  double mean, scale;
  double mean_g, mean_g_xhat;  // over the row, with g = dout · gain
};

// Four floats as doubles.
struct Wide {
  f64x2 low, high;
};
Wide widened(f32x4 x) { return {low_to_f64(x), high_to_f64(x)}; }

f64x2 xhat(f64x2 x, const RowStats& s) { return (x - splat_f64(s.mean)) * splat_f64(s.scale); }

struct Call {
  ptrdiff_t n;
  const float *x, *dout, *gain;
  float *dx, *dgain, *dbias;
};

// Forward: y = xhat · gain + bias, so dgain += dout · xhat and dbias += dout, here for the four columns that
// load and store address.
template <bool has_dbias, class Load, class Store>
void add_columns(const Call& call, const RowStats* stats, ptrdiff_t rows, Load load, Store store) {
  const f64x2 zeros = splat_f64(0);
  Wide dgain{zeros, zeros}, dbias{zeros, zeros};
#pragma GCC unroll 1
  for (ptrdiff_t i = 0; i < rows; ++i) {
    const Wide x = widened(load(call.x + i * call.n)), dout = widened(load(call.dout + i * call.n));
    dgain.low = dgain.low + dout.low * xhat(x.low, stats[i]);
    dgain.high = dgain.high + dout.high * xhat(x.high, stats[i]);
    if constexpr (has_dbias) {
      dbias.low = dbias.low + dout.low;
      dbias.high = dbias.high + dout.high;
    }
  }
  if (call.dgain) store(call.dgain, load(call.dgain) + to_f32(dgain.low, dgain.high));
  if constexpr (has_dbias) store(call.dbias, load(call.dbias) + to_f32(dbias.low, dbias.high));
}

// Columns j .. end - 1, of which the last ones are less than four.
template <bool has_dbias>
void add_block(const Call& call, const RowStats* stats, ptrdiff_t rows, ptrdiff_t j, ptrdiff_t end) {
  for (; j + 4 <= end; j += 4) {
    add_columns<has_dbias>(call, stats, rows, LoadFour{j},
                           [j](float* p, f32x4 values) { simd::store(p + j, values); });
  }
  if (j == end) return;
  const ptrdiff_t count = end - j;
  add_columns<has_dbias>(call, stats, rows, LoadSome{j, count},
                         [j, count](float* p, f32x4 values) { store_first(p + j, count, values); });
}

// The means of row i.
template <bool has_gain, bool centered>
void complete(const Call& call, ptrdiff_t i, double inverse_n, RowStats& s) {
  const ptrdiff_t n = call.n;
  const float *const x = call.x + i * n, *const dout = call.dout + i * n, *const gain = call.gain;
  const f32x4 mean = splat(static_cast<float>(s.mean)), scale = splat(static_cast<float>(s.scale));
  double totals[centered ? 3 : 1];
  row_sums<centered ? 3 : 1, 2>(
      n,
      [=](auto load, f32x4* terms) {
        f32x4 g = load(dout);
        if constexpr (has_gain) g = g * load(gain);
        const f32x4 xs = (centered ? load(x) - mean : load(x)) * scale;
        terms[0] = g * xs;
        if constexpr (centered) terms[1] = g, terms[2] = xs;
      },
      totals);
  s.mean_g_xhat = totals[0] * inverse_n;
  if constexpr (centered) {
    // The mean of xhat is 0, so that of (x - mean) · scale is what rounding took from the mean, scaled.
    const double rest = totals[2] * inverse_n;
    s.mean += rest / s.scale;
    s.mean_g = totals[1] * inverse_n;
    s.mean_g_xhat -= rest * s.mean_g;
  }
}

// g = dout · gain. Forward: xhat = (x - mean) · rstd, so
// dx = rstd · (g - mean(g) - xhat · mean(g · xhat)); in rms_norm mean(g) is not there.
template <bool has_gain>
void row_backward(const Call& call, ptrdiff_t i, const RowStats& s) {
  const ptrdiff_t n = call.n;
  const float *const x = call.x + i * n, *const dout = call.dout + i * n, *const gain = call.gain;
  const auto gradient = [s](f64x2 x, f64x2 g) {
    const f64x2 centered_g = g - splat_f64(s.mean_g);
    return splat_f64(s.scale) * (centered_g - xhat(x, s) * splat_f64(s.mean_g_xhat));
  };
  each_four(n, call.dx + i * n, [=](auto load) {
    const Wide xs = widened(load(x));
    Wide g = widened(load(dout));
    if constexpr (has_gain) {
      const Wide gains = widened(load(gain));
      g = {g.low * gains.low, g.high * gains.high};
    }
    return to_f32(gradient(xs.low, g.low), gradient(xs.high, g.high));
  });
}

constexpr int64_t kWork = 8;  // of an element, in multiplications

// Sums over blocks of rows, in order: threads share the columns.
void add_parameter_gradients(const Call& call, const RowStats* stats, ptrdiff_t rows) {
  if (!call.dgain && !call.dbias) return;
  const ptrdiff_t n = call.n;
  parallel_for((n + 3) / 4, 4 * kWork * rows, n_threads(), [&](ptrdiff_t begin, ptrdiff_t end, int) noexcept {
    Call block = call;
    for (ptrdiff_t i = 0; i < rows; i += kRowBlock) {
      const ptrdiff_t count = std::min(rows - i, kRowBlock);
      if (call.dbias) {
        add_block<true>(block, stats + i, count, 4 * begin, std::min(4 * end, n));
      } else {
        add_block<false>(block, stats + i, count, 4 * begin, std::min(4 * end, n));
      }
      block.x += kRowBlock * n, block.dout += kRowBlock * n;
    }
  });
}

// What threads share by rows comes before and after.
template <bool has_gain, bool centered>
void rows_backward(const Call& call, RowStats* stats, ptrdiff_t rows) {
  const ptrdiff_t n = call.n;
  const double inverse_n = 1 / static_cast<double>(n);
  parallel_for(rows, kWork * n, n_threads(), [&](ptrdiff_t i, ptrdiff_t end, int) noexcept {
    for (; i < end; ++i) complete<has_gain, centered>(call, i, inverse_n, stats[i]);
  });
  add_parameter_gradients(call, stats, rows);
  parallel_for(rows, kWork * n, n_threads(), [&](ptrdiff_t i, ptrdiff_t end, int) noexcept {
    for (; i < end; ++i) row_backward<has_gain>(call, i, stats[i]);
  });
}

// read_stats(i) gives mean and scale of row i.
template <bool centered, class ReadStats>
void backward(Call call, ptrdiff_t rows, ReadStats read_stats) {
  RowStats stats[kSharedRows];
  // One thread finds a block that it reads again in the first-level cache.
  const ptrdiff_t together = n_threads() == 1 ? kRowBlock : kSharedRows;
  for (ptrdiff_t start = 0; start < rows; start += together) {
    const ptrdiff_t count = std::min(rows - start, together);
    for (ptrdiff_t i = 0; i < count; ++i) stats[i] = read_stats(start + i);
    const auto run = call.gain ? rows_backward<true, centered> : rows_backward<false, centered>;
    run(call, stats, count);
    call.x += count * call.n, call.dout += count * call.n, call.dx += count * call.n;
  }
}

}  // namespace

void layer_norm_backward(ConstView x, ConstView gain, ConstView row_stats, ConstView dout, View dx,
                         View dgain, View dbias) {
  const char* op = "layer_norm_backward";
  check_rank(op, "x", x.shape, 1, "(.., n)");
  const int64_t n = x.shape[-1];
  if (gain) check_shape(op, "gain", gain.shape, {n});
  check_shape(op, "row_stats", row_stats.shape, x.shape.first(x.shape.rank() - 1, 2));
  check_shape(op, "dout", dout.shape, x.shape);
  check_shape(op, "dx", dx.shape, x.shape);
  if (dgain) check_shape(op, "dgain", dgain.shape, {n});
  if (dbias) check_shape(op, "dbias", dbias.shape, {n});
  backward<true>({static_cast<ptrdiff_t>(n), x.data, dout.data, gain.data, dx.data, dgain.data, dbias.data},
                 static_cast<ptrdiff_t>(x.shape.leading(1)), [row_stats](ptrdiff_t i) {
                   return RowStats{row_stats.data[2 * i], row_stats.data[2 * i + 1], 0, 0};
                 });
}

void rms_norm_backward(ConstView x, ConstView gain, ConstView row_rrms, ConstView dout, View dx, View dgain) {
  const char* op = "rms_norm_backward";
  check_rank(op, "x", x.shape, 1, "(.., n)");
  const int64_t n = x.shape[-1];
  if (gain) check_shape(op, "gain", gain.shape, {n});
  check_shape(op, "row_rrms", row_rrms.shape, x.shape.first(x.shape.rank() - 1));
  check_shape(op, "dout", dout.shape, x.shape);
  check_shape(op, "dx", dx.shape, x.shape);
  if (dgain) check_shape(op, "dgain", dgain.shape, {n});
  backward<false>({static_cast<ptrdiff_t>(n), x.data, dout.data, gain.data, dx.data, dgain.data, nullptr},
                  static_cast<ptrdiff_t>(x.shape.leading(1)), [row_rrms](ptrdiff_t i) {
                    return RowStats{0, row_rrms.data[i], 0, 0};
                  });
}

}  // namespace sqrtdk
