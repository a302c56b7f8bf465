#pragma once
// PyTorch's CPU generator after torch.manual_seed(seed): bit for bit the values of rand and randn
// (float32, x86-64 with AVX2), so that tutorials can be reproduced.
#include <array>
#include <cstdint>
#include <optional>

namespace sqrtdk {

class TorchGenerator {
 public:
  explicit TorchGenerator(uint64_t seed);  // only the low 32 bits matter, as in PyTorch
  void rand(float* out, int64_t n);        // torch.rand(n)
  void randn(float* out, int64_t n);       // torch.randn(n); the shape does not matter, only the count

 private:
  uint32_t next();
  std::array<uint32_t, 624> state_;
  size_t position_ = 624;
  std::optional<double> second_normal_;  // kept by randn of fewer than 16 values for the next such call
};

}  // namespace sqrtdk
