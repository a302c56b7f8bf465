#include "models/checkpoint.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "tensor/half.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Model {
  Parameters parameters;
  explicit Model(uint64_t seed) {
    parameters.add("embedding.weight", {3, 2});
    parameters.add("norm.weight", {2});
    parameters.add("norm.bias", {2});
    parameters.add("none", {0});
    parameters.add_alias("head.weight", 0);
    parameters.allocate();
    Draws draws(seed);
    for (float& value : parameters.values()) value = draws.normal();
  }
  std::vector<float> values() const { return {parameters.values().begin(), parameters.values().end()}; }
};

// Values for tensors that are named one by one.
const float kNumbers[] = {1, 2, 3, 4, 5, 6};
NamedTensor tensor(const std::string& name, const Shape& shape) {
  return {name,
          shape,
          Encoding::kF32,
          {reinterpret_cast<const uint8_t*>(kNumbers), static_cast<size_t>(shape.size()) * 4}};
}

void refused(const std::vector<NamedTensor>& tensors, bool strict, const std::string& got) {
  CAPTURE(got);
  Model model(1);
  const std::vector<float> before = model.values();
  const FormatError error =
      thrown_by<FormatError>([&] { load_state(model.parameters, tensors, {strict}, "op", "file"); });
  CHECK(error.op == "op");
  CHECK(error.argument == "file");
  CHECK(error.got == got);
  CHECK(same_bits(model.values(), before));
}

}  // namespace

TEST_CASE("checkpoint: what is saved is loaded") {
  for (const Encoding encoding : {Encoding::kF32, Encoding::kF16, Encoding::kBF16}) {
    const Model saved(1);
    Model loaded(2);
    const std::vector<uint8_t> file = save_state(saved.parameters, encoding, {{"step", "7"}});
    const SafeTensors read = read_safetensors(file, "op", "file");
    CHECK(read_metadata(read.metadata) == Metadata{{"step", "7"}});
    const NameDifference difference = load_state(loaded.parameters, read.tensors, {}, "op", "file");
    CHECK(difference.missing.empty());
    CHECK(difference.unexpected.empty());
    std::vector<float> expected = saved.values();
    for (float& x : expected) {
      if (encoding == Encoding::kF16) x = f16_value(f16_bits(x));
      if (encoding == Encoding::kBF16) x = bf16_value(bf16_bits(x));
    }
    CHECK(same_bits(loaded.values(), expected));
    CHECK(save_state(saved.parameters, encoding, {{"step", "7"}}) == file);
  }
}

TEST_CASE("checkpoint: names and shapes that differ are listed, and nothing is changed") {
  const NamedTensor embedding = tensor("embedding.weight", {3, 2}), weight = tensor("norm.weight", {2}),
                    bias = tensor("norm.bias", {2}), none = tensor("none", {0});
  refused({embedding, weight}, true, "missing: norm.bias, none");
  refused({embedding, weight, bias, none, tensor("x", {1}), tensor("y", {})}, true, "unexpected: x, y");
  refused({tensor("embedding.weight", {2, 3}), weight, tensor("norm.bias", {2, 1}), none}, true,
          "wrong shape: embedding.weight (2, 3) instead of (3, 2), norm.bias (2, 1) instead of (2,)");
  refused({tensor("embedding.weight", {6}), weight, tensor("x", {1}), none}, true,
          "missing: norm.bias; unexpected: x; wrong shape: embedding.weight (6,) instead of (3, 2)");
  refused({weight, tensor("embedding.weight", {6})}, false,
          "wrong shape: embedding.weight (6,) instead of (3, 2)");

  NamedTensor short_of_bytes = bias;
  short_of_bytes.bytes = bias.bytes.first(4);
  refused({embedding, weight, short_of_bytes, none}, true, "4 bytes in tensor norm.bias");
}

TEST_CASE("checkpoint: not strict, what is there is loaded") {
  Model model(1);
  std::vector<float> expected = model.values();
  std::copy_n(kNumbers, 2, expected.begin() + 6);
  const NamedTensor tensors[] = {tensor("x", {1}), tensor("norm.weight", {2})};
  const NameDifference difference = load_state(model.parameters, tensors, {.strict = false}, "op", "file");
  CHECK(difference.missing == std::vector<std::string>{"embedding.weight", "norm.bias", "none"});
  CHECK(difference.unexpected == std::vector<std::string>{"x"});
  CHECK(same_bits(model.values(), expected));
}

TEST_CASE("checkpoint: a model inside another is found by its prefix") {
  const auto inside = [](const char* prefix, const char* name, const Shape& shape) {
    return tensor(std::string(prefix) + name, shape);
  };
  const auto all = [&](const char* prefix) {
    return std::vector{inside(prefix, "embedding.weight", {3, 2}), inside(prefix, "norm.weight", {2}),
                       inside(prefix, "norm.bias", {2}), inside(prefix, "none", {0})};
  };
  std::vector<NamedTensor> tensors = all("decoder.encoder.");
  // Others are passed over, whatever their shapes, and the prefix in the middle is none.
  tensors.push_back(tensor("norm.bias", {5}));
  tensors.push_back(tensor("encoder.decoder.encoder.norm.bias", {5}));
  Model model(1), plain(1);
  load_state(plain.parameters, all(""), {}, "op", "file");
  load_state(model.parameters, tensors, {true, "decoder.encoder."}, "op", "file");
  CHECK(same_bits(model.values(), plain.values()));

  const std::vector<float> before = model.values();
  const auto got = [&](bool strict, const char* prefix) {
    return thrown_by<FormatError>([&] {
             load_state(model.parameters, tensors, {strict, prefix}, "op", "file");
           })
        .got;
  };
  CHECK(got(true, "decoder.") ==
        "missing: embedding.weight, norm.weight, norm.bias, none; unexpected: encoder.embedding.weight, "
        "encoder.norm.weight, encoder.norm.bias, encoder.none");
  CHECK(got(true, "nothing.") == "missing: embedding.weight, norm.weight, norm.bias, none");
  tensors[1] = inside("decoder.encoder.", "norm.weight", {4});
  CHECK(got(false, "decoder.encoder.") == "wrong shape: norm.weight (4,) instead of (2,)");
  CHECK(same_bits(model.values(), before));
  const NameDifference difference = load_state(model.parameters, tensors, {false, "decoder."}, "op", "file");
  CHECK(difference.missing.size() == 4);
  CHECK(difference.unexpected.front() == "encoder.embedding.weight");
}

TEST_CASE("checkpoint: a tied parameter under either of its names, or both") {
  const NamedTensor first = tensor("embedding.weight", {3, 2}), second = tensor("head.weight", {3, 2});
  const NamedTensor weight = tensor("norm.weight", {2}), bias = tensor("norm.bias", {2}),
                    none = tensor("none", {0});
  for (const std::vector<NamedTensor>& tied :
       {std::vector{first}, std::vector{second}, std::vector{first, second}}) {
    Model model(1);
    std::vector<NamedTensor> tensors{weight, bias, none};
    tensors.insert(tensors.end(), tied.begin(), tied.end());
    load_state(model.parameters, tensors, {}, "op", "file");
    CHECK(std::equal(kNumbers, kNumbers + 6, model.parameters.values().begin()));
  }
  refused({first, tensor("head.weight", {2, 3}), weight, bias, none}, true,
          "wrong shape: head.weight (2, 3) instead of (3, 2)");
}
