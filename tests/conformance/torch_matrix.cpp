// PyTorch's embedding and linear layers with their gradients.
#include "conformance/operators.h"
#include "kernels/embedding.h"
#include "kernels/product/matmul.h"

namespace sqrtdk::conformance {

void torch_embedding(Case& reference, Results& results) {
  for (const char* option : {"padding_idx", "max_norm"}) {
    if (reference.has(option)) throw Skip(std::string("no ") + option);
  }
  const Indices ids(reference.required("ids"));
  const Floats table(reference.required("W")), dy(reference.required("grad_y"));
  Floats y(dy.shape()), dtable(table.shape(), 0);
  embedding_forward(table.view(), ids.view(), y.view());
  embedding_backward(ids.view(), dy.view(), dtable.view());
  results.add("y", y), results.add("d_W", dtable);
}

// y = x Wᵀ + b; dx = dy W, dW = dyᵀ x, db = 1ᵀ dy
void torch_linear(Case& reference, Results& results) {
  Floats x(reference.required("x")), dy(reference.required("grad_y"));
  const Floats w(reference.required("W"));
  const Shape x_shape = x.shape(), y_shape = dy.shape();
  const int64_t rows = x_shape.leading(1), d_in = x_shape[-1], d_out = y_shape[-1];
  x.reshape({rows, d_in}), dy.reshape({rows, d_out});
  std::optional<Floats> b;
  ConstView bias;
  if (const Tensor* tensor = reference.input("b")) bias = b.emplace(*tensor).view();

  Floats y({rows, d_out});
  matmul(x.view(), Transpose::kNo, w.view(), Transpose::kYes, y.view(), Write::kOverwrite, bias);
  results.add("y", y.reshape(y_shape), "plain");
  Floats packed({packed_size(d_in, d_out)}), y_packed({rows, d_out});
  const PackedMatrix packed_w = pack_matrix(w.view(), Transpose::kYes, packed.view().data);
  matmul_packed(x.view(), packed_w, y_packed.view(), Write::kOverwrite, bias);
  results.add("y", y_packed.reshape(y_shape), "packed");

  Floats dx({rows, d_in}), dw(w.shape()), ones({rows, 1}, 1), db({1, d_out});
  matmul(dy.view(), Transpose::kNo, w.view(), Transpose::kNo, dx.view());
  matmul(dy.view(), Transpose::kYes, x.view(), Transpose::kNo, dw.view());
  matmul(ones.view(), Transpose::kYes, dy.view(), Transpose::kNo, db.view());
  results.add("d_x", dx.reshape(x_shape)), results.add("d_W", dw);
  if (b) results.add("d_b", db.reshape({d_out}));
}

}  // namespace sqrtdk::conformance
