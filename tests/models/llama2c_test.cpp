#include "models/llama2c.h"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "base/errors.h"
#include "reference/allocations.h"
#include "reference/buffers.h"
#include "reference/safetensors_file.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

// dim 4, hidden 3, 2 layers, 2 heads of size 2, 1 key and value head, vocab 5, context 6; numbers 0, 1, 2,
// ...
constexpr int kFloats = 5 * 4 + 2 * (4 + 16 + 8 + 8 + 16 + 4 + 12 + 12 + 12) + 4 + 2 * 6;
Bytes file(const std::vector<int32_t>& header = {4, 3, 2, 2, 1, 5, 6}, int floats = kFloats) {
  std::vector<float> values(static_cast<size_t>(floats));
  std::iota(values.begin(), values.end(), 0.0f);
  return file_of(bytes_of(header) + bytes_of(values));
}

void refused(const Bytes& bytes, ErrorCode code, const std::string& expected, const std::string& got) {
  CAPTURE(got);
  const FormatError error = thrown_by<FormatError>([&] { read_llama2c(bytes, "op", "file"); });
  CHECK(error.code == code);
  CHECK(error.op == "op");
  CHECK(error.argument == "file");
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}
void refused_header(const std::vector<int32_t>& header, const std::string& expected, const std::string& got) {
  refused(file(header), ErrorCode::kUnsupported, "a llama2.c header with " + expected, got);
}

}  // namespace

TEST_CASE("llama2c: the configuration and every tensor in its place") {
  const Bytes bytes = file();
  const Llama2cFile read = read_llama2c(bytes, "op", "file");
  const Llama2cConfig& config = read.config;
  CHECK(config.d_model == 4);
  CHECK(config.d_ff == 3);
  CHECK(config.n_layers == 2);
  CHECK(config.n_heads == 2);
  CHECK(config.n_kv_heads == 1);
  CHECK(config.vocab == 5);
  CHECK(config.context == 6);
  CHECK(config.head_size() == 2);
  CHECK(config.tied);
  const struct {
    const char* name;
    Shape shape;
  } expected[] = {{"tok_embeddings.weight", {5, 4}},           {"layers.0.attention_norm.weight", {4}},
                  {"layers.1.attention_norm.weight", {4}},     {"layers.0.attention.wq.weight", {4, 4}},
                  {"layers.1.attention.wq.weight", {4, 4}},    {"layers.0.attention.wk.weight", {2, 4}},
                  {"layers.1.attention.wk.weight", {2, 4}},    {"layers.0.attention.wv.weight", {2, 4}},
                  {"layers.1.attention.wv.weight", {2, 4}},    {"layers.0.attention.wo.weight", {4, 4}},
                  {"layers.1.attention.wo.weight", {4, 4}},    {"layers.0.ffn_norm.weight", {4}},
                  {"layers.1.ffn_norm.weight", {4}},           {"layers.0.feed_forward.w1.weight", {3, 4}},
                  {"layers.1.feed_forward.w1.weight", {3, 4}}, {"layers.0.feed_forward.w2.weight", {4, 3}},
                  {"layers.1.feed_forward.w2.weight", {4, 3}}, {"layers.0.feed_forward.w3.weight", {3, 4}},
                  {"layers.1.feed_forward.w3.weight", {3, 4}}, {"norm.weight", {4}}};
  REQUIRE(read.tensors.size() == std::size(expected));
  float next = 0;
  for (size_t i = 0; i < read.tensors.size(); ++i) {
    CAPTURE(expected[i].name);
    CHECK(read.tensors[i].name == expected[i].name);
    CHECK(read.tensors[i].shape == expected[i].shape);
    std::vector<float> values(static_cast<size_t>(expected[i].shape.size()));
    copy_values(read.tensors[i], View(values.data(), expected[i].shape));
    for (const float value : values) CHECK(value == next++);
  }
}

TEST_CASE("llama2c: an output layer of its own") {
  const Bytes bytes = file({4, 3, 2, 2, 1, -5, 6}, kFloats + 20);
  const Llama2cFile read = read_llama2c(bytes, "op", "file");
  CHECK_FALSE(read.config.tied);
  CHECK(read.config.vocab == 5);
  const NamedTensor& output = read.tensors.back();
  CHECK(output.name == "output.weight");
  CHECK(output.shape == Shape{5, 4});
  CHECK(output.bytes.data() + output.bytes.size() == bytes.data() + bytes.size());
}

TEST_CASE("llama2c: headers that no model has") {
  const char* names[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
  for (size_t i = 0; i < 7; ++i) {
    for (const int32_t value : {0, -1, std::numeric_limits<int32_t>::min()}) {
      if (i == 5 && value < 0) continue;
      std::vector<int32_t> header{4, 3, 2, 2, 1, 5, 6};
      header[i] = value;
      refused_header(header, "positive sizes", std::string(names[i]) + " " + std::to_string(value));
    }
  }
  refused_header({4, 3, 1025, 2, 1, 5, 6}, "at most 1024 layers", "n_layers 1025");
  refused_header({4, 3, 2, 3, 1, 5, 6}, "heads of an even size that divide dim", "n_heads 3");
  refused_header({6, 3, 2, 2, 1, 5, 6}, "heads of an even size that divide dim", "n_heads 2");
  refused_header({4, 3, 2, 8, 1, 5, 6}, "heads of an even size that divide dim", "n_heads 8");
  refused_header({8, 3, 2, 4, 3, 5, 6}, "n_kv_heads that divide n_heads", "n_kv_heads 3");
  refused_header({4, 3, 2, 2, 4, 5, 6}, "n_kv_heads that divide n_heads", "n_kv_heads 4");
}

TEST_CASE("llama2c: files of another size") {
  refused({}, ErrorCode::kTruncated, "28", "0");
  const Bytes whole = file();
  const std::string size = std::to_string(whole.size());
  refused(Bytes(whole.begin(), whole.begin() + 27), ErrorCode::kTruncated, "28", "27");
  refused(Bytes(whole.begin(), whole.begin() + 107), ErrorCode::kTruncated, "108",
          "107 in tensor tok_embeddings.weight");
  refused(Bytes(whole.begin(), whole.end() - 1), ErrorCode::kTruncated, size,
          std::to_string(whole.size() - 1) + " in tensor freq_cis_imag");
  refused(file({4, 3, 2, 2, 1, -5, 6}), ErrorCode::kTruncated, std::to_string(whole.size() + 80),
          size + " in tensor output.weight");
  Bytes longer = whole;
  longer.push_back(0);
  refused(longer, ErrorCode::kUnsupported, "a llama2.c file of " + size + " bytes",
          std::to_string(longer.size()));
  const int32_t most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
  refused(file({most - 1, most, 1024, 1, 1, least, most}), ErrorCode::kTruncated, "18446744056529682460",
          size + " in tensor tok_embeddings.weight");
  for (size_t n = 0; n < whole.size(); ++n) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    CHECK_THROWS_AS(read_llama2c(part, "op", "file"), FormatError);
  }
}

TEST_CASE("llama2c: a changed byte of the header is refused, in little memory") {
  Draws draws(5);
  const Bytes whole = file();
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes = whole;
    bytes[draws.bits() % 28] ^= static_cast<uint8_t>(1 + draws.bits() % 255);
    const PeakMemory memory;
    CHECK_THROWS_AS(read_llama2c(bytes, "op", "file"), FormatError);
    CHECK(memory.bytes() < 16000);
  }
}
