#pragma once
// One normalization in float, run through the kernels, with its values in double.
#include <vector>

#include "kernels/layer_norm.h"
#include "reference/buffers.h"
#include "reference/layer_norm.h"

namespace sqrtdk::reference {

struct NormCase {
  bool centered;  // layer_norm, or rms_norm
  int64_t rows, n;
  std::vector<float> x, gain, bias, dout;
  float epsilon = 1e-5f;
  std::vector<float> out, stats, dx, dgain, dbias;  // outputs

  NormCase(bool centered, int64_t rows, int64_t n, uint64_t seed = 1) : centered(centered), rows(rows), n(n) {
    Draws draws(seed);
    x = draws.normals(rows * n);
    gain = draws.normals(n);
    bias = draws.normals(n);
    dout = draws.normals(rows * n);
  }

  NormCase& forward() {
    out.assign(x.size(), 7.0f);
    stats.assign(static_cast<size_t>(rows * (centered ? 2 : 1)), 7.0f);
    if (centered) {
      layer_norm_forward({x.data(), {rows, n}}, view(gain), view(bias), epsilon, {out.data(), {rows, n}},
                         {stats.data(), {rows, 2}});
    } else {
      rms_norm_forward({x.data(), {rows, n}}, view(gain), epsilon, {out.data(), {rows, n}},
                       {stats.data(), {rows}});
    }
    return *this;
  }

  /// dgain and dbias are added to zeros.
  NormCase& backward() {
    dx.assign(x.size(), 7.0f);
    dgain.assign(static_cast<size_t>(n), 0.0f);
    dbias.assign(static_cast<size_t>(n), 0.0f);
    if (centered) {
      layer_norm_backward({x.data(), {rows, n}}, view(gain), {stats.data(), {rows, 2}},
                          {dout.data(), {rows, n}}, {dx.data(), {rows, n}}, {dgain.data(), {n}},
                          {dbias.data(), {n}});
    } else {
      rms_norm_backward({x.data(), {rows, n}}, view(gain), {stats.data(), {rows}}, {dout.data(), {rows, n}},
                        {dx.data(), {rows, n}}, {dgain.data(), {n}});
    }
    return *this;
  }

  std::vector<double> exact() const { return exact_of(widen(x)); }
  std::vector<double> exact_of(const std::vector<double>& x) const {
    return centered ? layer_norm(x, wide_gain(), wide_bias(), epsilon) : rms_norm(x, wide_gain(), epsilon);
  }
  NormGradients exact_gradients() const {
    return norm_gradients(widen(x), wide_gain(), epsilon, widen(dout), centered);
  }

 private:
  ConstView view(const std::vector<float>& parameter) const {
    return parameter.empty() ? ConstView() : ConstView(parameter.data(), {n});
  }
  std::vector<double> wide_gain() const {
    return gain.empty() ? std::vector<double>(static_cast<size_t>(n), 1.0) : widen(gain);
  }
  std::vector<double> wide_bias() const {
    return bias.empty() ? std::vector<double>(static_cast<size_t>(n), 0.0) : widen(bias);
  }
};

}  // namespace sqrtdk::reference
