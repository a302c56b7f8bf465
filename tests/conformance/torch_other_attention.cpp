// Additive and cosine attention with their gradients. Masks: True = masked out.
#include "conformance/attention_forms.h"
#include "conformance/operators.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/attention/cosine_attention.h"

namespace sqrtdk::conformance {
namespace {

// [batch, n_k] of keys, or [n_q, n_k] or [batch, n_q, n_k] of pairs.
std::optional<Mask> mask_of(const Case& reference) {
  std::optional<Mask> mask;
  if (const Tensor* padding = reference.input("key_padding_mask")) {
    Tensor tensor = *padding;
    tensor.dims.insert(tensor.dims.begin() + 1, 1);
    mask.emplace(tensor, false);
  } else if (const Tensor* attn_mask = reference.input("attn_mask_bool")) {
    mask.emplace(*attn_mask, false);
  }
  return mask;
}

}  // namespace

void torch_additive_attention(Case& reference, Results& results) {
  const Floats q(reference.required("q")), k(reference.required("k")), values(reference.required("values"));
  const Floats w_q(reference.required("Wq")), w_k(reference.required("Wk")), vector(reference.required("v"));
  const Floats dout(reference.required("grad_context"));
  const std::optional<Mask> mask = mask_of(reference);
  const MaskView mask_view = mask ? mask->view() : MaskView();
  AdditiveParameters parameters{w_q.view(), w_k.view(), vector.view(), {}};
  std::optional<Floats> b;
  if (const Tensor* tensor = reference.input("b")) parameters.b = b.emplace(*tensor).view();

  Arena scratch(additive_attention_scratch(q.view(), k.view(), parameters));
  const Shape pairs = q.shape().with_last(q.shape()[-2], k.shape()[-2]);
  Floats scores(pairs), weights(pairs), out(q.shape().with_last(q.shape()[-2], values.shape()[-1]));
  for (const AdditiveForm form : {AdditiveForm::kNaive, AdditiveForm::kProjected}) {
    scratch.reset();
    additive_attention_forward(form, q.view(), k.view(), values.view(), parameters, mask_view, scores.view(),
                               weights.view(), out.view(), scratch);
    const char* name = form == AdditiveForm::kNaive ? "naive" : "projected";
    results.add("scores", scores, name);
    results.add("A", weights, name);
    results.add("context", out, name);
  }

  Floats dscores(pairs), dq(q.shape()), dk(k.shape()), dvalues(values.shape());
  Floats dw_q(w_q.shape(), 0), dw_k(w_k.shape(), 0), dv(vector.shape(), 0), db(vector.shape(), 0);
  AdditiveGradients gradients{dw_q.view(), dw_k.view(), dv.view(), {}};
  if (b) gradients.db = db.view();
  scratch.reset();
  additive_attention_backward(q.view(), k.view(), values.view(), parameters, mask_view, weights.view(),
                              dout.view(), dscores.view(), dq.view(), dk.view(), dvalues.view(), gradients,
                              scratch);
  results.add("d_q", dq), results.add("d_k", dk), results.add("d_values", dvalues);
  results.add("d_Wq", dw_q), results.add("d_Wk", dw_k), results.add("d_v", dv);
  if (b) results.add("d_b", db);
}

void torch_cosine_attention(Case& reference, Results& results) {
  const Floats q(reference.required("Q")), k(reference.required("K")), v(reference.required("V"));
  const Floats dout(reference.required("grad_O"));
  const float tau = Floats(reference.required("tau"))[0];
  const std::optional<Mask> mask = mask_of(reference);
  const MaskView mask_view = mask ? mask->view() : MaskView();

  Arena scratch(cosine_attention_scratch(q.view(), k.view()));
  const Shape pairs = q.shape().with_last(q.shape()[-2], k.shape()[-2]);
  Floats scores(pairs), weights(pairs), out(q.shape().with_last(q.shape()[-2], v.shape()[-1]));
  cosine_attention_forward(q.view(), k.view(), v.view(), tau, mask_view, scores.view(), weights.view(),
                           out.view(), scratch);
  results.add("scores", scores), results.add("A", weights), results.add("O", out);

  Floats dscores(pairs), dq(q.shape()), dk(k.shape()), dv(v.shape());
  scratch.reset();
  const double dtau =
      cosine_attention_backward(q.view(), k.view(), v.view(), tau, mask_view, weights.view(), dout.view(),
                                dscores.view(), dq.view(), dk.view(), dv.view(), scratch);
  results.add("d_Q", dq), results.add("d_K", dk), results.add("d_V", dv);
  results.add_scalar("d_tau", dtau);
}

}  // namespace sqrtdk::conformance
