// What several threads compute has the bits of one.
#include "base/threads.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "kernels/activation.h"
#include "kernels/attention/heads.h"
#include "kernels/attention/tiled_attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "kernels/product/column_sums.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// compute() with one thread and with several.
template <class Compute>
void check_bits(Compute compute) {
  const std::vector<float> one = compute();
  for (const int n : {2, 3, 5}) {
    CAPTURE(n);
    const Threads threads(n);
    CHECK(same_bits(compute(), one));
  }
}

void check_products(int64_t m, int64_t k, int64_t n, int64_t batches = 1) {
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  Draws draws(1);
  const auto a = draws.normals(batches * m * k), b = draws.normals(batches * k * n), bias = draws.normals(n);
  const auto start = draws.normals(batches * m * n);
  for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
    for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
      const Shape a_shape = ta == Transpose::kYes ? Shape{batches, k, m} : Shape{batches, m, k};
      const Shape b_shape = tb == Transpose::kYes ? Shape{batches, n, k} : Shape{batches, k, n};
      for (const Write write : {Write::kOverwrite, Write::kAccumulate}) {
        check_bits([&] {
          std::vector<float> out = start;
          matmul({a.data(), a_shape}, ta, {b.data(), b_shape}, tb, {out.data(), {batches, m, n}}, write,
                 {bias.data(), {n}});
          return out;
        });
      }
    }
  }
  std::vector<float> packed(static_cast<size_t>(packed_size(k, n)));
  const PackedMatrix matrix = pack_matrix({b.data(), {k, n}}, Transpose::kNo, packed.data());
  check_bits([&] {
    std::vector<float> out = start;
    matmul_packed({a.data(), {batches, m, k}}, matrix, {out.data(), {batches, m, n}}, Write::kAccumulate,
                  {bias.data(), {n}});
    return out;
  });
}

void check_attention(int64_t heads, int64_t kv_heads, int64_t n_q, int64_t n_k, int64_t d, Causal causal) {
  CAPTURE(heads);
  CAPTURE(n_q);
  Draws draws(2);
  const Shape q_shape{heads, n_q, d}, k_shape{kv_heads, n_k, d};
  const auto q = draws.normals(q_shape.size()), k = draws.normals(k_shape.size());
  auto v = draws.normals(k_shape.size());
  const auto dout = draws.normals(q_shape.size());
  v.back() = INFINITY;  // where its key is masked it must stay out
  AttentionOptions options;
  options.causal = causal;
  const ConstView q_view{q.data(), q_shape}, k_view{k.data(), k_shape}, v_view{v.data(), k_shape};
  check_bits([&] {
    std::vector<float> out(q.size()), stats(static_cast<size_t>(2 * heads * n_q));
    std::vector<float> dq(q.size()), dk(k.size()), dv(k.size());
    const View stats_view{stats.data(), {heads, n_q, 2}};
    Arena forward(tiled_attention_forward_scratch(q_view, k_view, v_view));
    tiled_attention_forward(q_view, k_view, v_view, options, {out.data(), q_shape}, stats_view, forward);
    Arena backward(tiled_attention_backward_scratch(q_view, k_view, v_view));
    tiled_attention_backward(q_view, k_view, v_view, options, stats_view, {dout.data(), q_shape},
                             {dq.data(), q_shape}, {dk.data(), k_shape}, {dv.data(), k_shape}, backward);
    for (const auto* more : {&stats, &dq, &dk, &dv}) out.insert(out.end(), more->begin(), more->end());
    return out;
  });
}

// With gradients of gain and bias, where these are wanted, behind those of x.
void check_norms_backward(int64_t rows, int64_t n, bool parameters) {
  CAPTURE(rows);
  CAPTURE(n);
  Draws draws(4);
  const Shape shape{rows, n};
  const auto x = draws.normals(rows * n), dout = draws.normals(rows * n), gain = draws.normals(n);
  const auto stats = draws.normals(2 * rows), start = draws.normals(2 * n);
  const ConstView x_view{x.data(), shape}, dout_view{dout.data(), shape};
  const ConstView gain_view = parameters ? ConstView{gain.data(), {n}} : ConstView{};
  const auto check = [&](auto&& run) {
    check_bits([&] {
      std::vector<float> out(x.size());
      out.insert(out.end(), start.begin(), start.end());
      const auto gradient = [&](int64_t i) {
        return parameters ? View{out.data() + (rows + i) * n, {n}} : View{};
      };
      run(View{out.data(), shape}, gradient(0), gradient(1));
      return out;
    });
  };
  check([&](View dx, View dgain, View dbias) {
    layer_norm_backward(x_view, gain_view, {stats.data(), {rows, 2}}, dout_view, dx, dgain, dbias);
  });
  check([&](View dx, View dgain, View) {
    rms_norm_backward(x_view, gain_view, {stats.data(), {rows}}, dout_view, dx, dgain);
  });
}

}  // namespace

TEST_CASE("threads: products") {
  check_products(1, 300, 700);
  check_products(3, 64, 1000);
  check_products(65, 130, 517);
  check_products(517, 33, 65);
  check_products(1100, 64, 17);
  check_products(64, 64, 600);
  check_products(33, 47, 51, 3);
  check_products(40, 40, 40, 7);
}

TEST_CASE("threads: tiled attention and its gradients") {
  check_attention(1, 1, 300, 260, 16, Causal::kNo);
  check_attention(1, 1, 333, 333, 8, Causal::kTopLeft);
  check_attention(3, 3, 67, 140, 24, Causal::kBottomRight);
  check_attention(8, 2, 65, 65, 16, Causal::kTopLeft);
  check_attention(8, 4, 1, 700, 32, Causal::kNo);
  check_attention(4, 4, 130, 129, 20, Causal::kNo);
}

TEST_CASE("threads: gradients of norms") {
  for (const int64_t rows : {1, 40, 512, 1100}) {
    for (const int64_t n : {1, 67, 130}) {
      check_norms_backward(rows, n, true);
      check_norms_backward(rows, n, false);
    }
  }
}

TEST_CASE("threads: heads") {
  Draws draws(5);
  for (const int64_t n_heads : {1, 3, 8}) {
    CAPTURE(n_heads);
    const Shape rows{3, 100, n_heads * 70}, split{3, n_heads, 100, 70};
    const auto x = draws.normals(rows.size());
    check_bits([&] {
      std::vector<float> heads(x.size()), merged(x.size());
      split_heads({x.data(), rows}, {heads.data(), split});
      merge_heads({heads.data(), split}, {merged.data(), rows});
      CHECK(same_bits(merged, x));
      return heads;
    });
  }
}

TEST_CASE("threads: rows and elements") {
  Draws draws(3);
  for (const int64_t rows : {1, 7, 300}) {
    for (const int64_t n : {5, 16, 333, 1024}) {
      CAPTURE(rows);
      CAPTURE(n);
      const Shape shape{rows, n};
      const auto x = draws.normals(rows * n), y = draws.normals(rows * n), gain = draws.normals(n);
      const ConstView x_view{x.data(), shape}, y_view{y.data(), shape}, gain_view{gain.data(), {n}};
      const auto check = [&](auto&& run) {
        check_bits([&] {
          std::vector<float> out(x.size());
          run(View{out.data(), shape});
          return out;
        });
      };
      check([&](View out) { softmax_forward(x_view, out); });
      check([&](View out) { log_softmax_forward(x_view, out); });
      check([&](View out) { log_softmax_backward(x_view, y_view, out); });
      check([&](View out) { add_column_sums(x_view, {out.data, {n}}); });
      std::vector<int32_t> target(static_cast<size_t>(rows));
      for (int64_t i = 0; i < rows; ++i) target[static_cast<size_t>(i)] = static_cast<int32_t>(i * i % n);
      target.back() = -100;  // ignored
      const float dloss = 1;
      check([&](View out) {
        cross_entropy_backward(x_view, {target.data(), {rows}}, {}, {&dloss, {1}}, out);
      });
      check([&](View out) { layer_norm_forward(x_view, gain_view, gain_view, 1e-5f, out, {}); });
      check([&](View out) { rms_norm_forward(x_view, gain_view, 1e-5f, out, {}); });
      check([&](View out) { activation_forward(Activation::kGelu, x_view, out); });
      check([&](View out) { activation_backward(Activation::kGelu, x_view, y_view, out); });
      check([&](View out) { add_elements(x_view, y_view, out); });
    }
  }
}
