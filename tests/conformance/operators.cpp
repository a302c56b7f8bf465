#include "conformance/operators.h"

namespace sqrtdk::conformance {
namespace {

struct Entry {
  Suite suite;
  const char* op;
  Operator run;
};

constexpr Entry kOperators[] = {
    {Suite::kOnnx, "Adagrad", onnx_adagrad},
    {Suite::kOnnx, "Adam", onnx_adam},
    {Suite::kOnnx, "Attention", onnx_attention},
    {Suite::kOnnx, "FlexAttention", onnx_flex_attention},
    {Suite::kOnnx, "Gelu", onnx_gelu},
    {Suite::kOnnx, "LayerNormalization", onnx_layer_norm},
    {Suite::kOnnx, "LogSoftmax", onnx_log_softmax},
    {Suite::kOnnx, "Momentum", onnx_momentum},
    {Suite::kOnnx, "NegativeLogLikelihoodLoss", onnx_negative_log_likelihood},
    {Suite::kOnnx, "RMSNormalization", onnx_rms_norm},
    {Suite::kOnnx, "RotaryEmbedding", onnx_rotary},
    {Suite::kOnnx, "Softmax", onnx_softmax},
    {Suite::kOnnx, "SoftmaxCrossEntropyLoss", onnx_cross_entropy},
    {Suite::kOnnx, "SwiGLU", onnx_swiglu},
    {Suite::kOnnx, "Swish", onnx_swish},
    {Suite::kTorch, "Activation", torch_activation},
    {Suite::kTorch, "AdditiveAttention", torch_additive_attention},
    {Suite::kTorch, "AttentionProbs", weights_attention_maps},
    {Suite::kTorch, "CosineAttention", torch_cosine_attention},
    {Suite::kTorch, "CrossEntropy", torch_cross_entropy},
    {Suite::kTorch, "Embedding", torch_embedding},
    {Suite::kTorch, "LayerNorm", torch_layer_norm},
    {Suite::kTorch, "Linear", torch_linear},
    {Suite::kTorch, "LogSoftmax", torch_log_softmax},
    {Suite::kTorch, "MultiheadAttention", torch_multi_head_attention},
    {Suite::kTorch, "OptimizerMLP", torch_optimizer_mlp},
    {Suite::kTorch, "OptimizerSteps", torch_optimizer_steps},
    {Suite::kTorch, "RMSNorm", torch_rms_norm},
    {Suite::kTorch, "SDPA", torch_attention},
    {Suite::kTorch, "SinusoidalPE", torch_positional_encoding},
    {Suite::kTorch, "Softmax", torch_softmax},
    {Suite::kTorch, "SoftmaxJacobian", torch_softmax_jacobian},
    {Suite::kTorch, "TrainTinyLM", torch_train_language_model},
    {Suite::kTorch, "Transformer", torch_transformer},
    {Suite::kTorch, "TransformerDecoderLayer", torch_decoder_layer},
    {Suite::kTorch, "TransformerEncoder", torch_encoder},
    {Suite::kTorch, "TransformerEncoderLayer", torch_encoder_layer},
    {Suite::kTorch, "XavierInit", torch_xavier},
    {Suite::kTorch, "gpt-nano-sort", weights_sort},
    {Suite::kTorch, "stories260K", weights_story},
};

}  // namespace

Operator find_operator(Suite suite, const std::string& op) {
  for (const Entry& entry : kOperators) {
    if (entry.suite == suite && entry.op == op) return entry.run;
  }
  return nullptr;
}

}  // namespace sqrtdk::conformance
