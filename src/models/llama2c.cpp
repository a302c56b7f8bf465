#include "models/llama2c.h"

#include <cstring>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr size_t kHeaderSize = 7 * sizeof(int32_t);

class Llama2cReader {
 public:
  Llama2cReader(std::span<const uint8_t> file, std::string_view op, std::string_view argument)
      : file_(file), op_(op), argument_(argument) {}

  Llama2cFile read() {
    const Llama2cConfig config = read_config();
    const int64_t d = config.d_model, d_kv = config.n_kv_heads * config.head_size(), d_ff = config.d_ff;
    // Each kind of weight comes for all layers in turn.
    const struct {
      const char* name;
      int64_t rows, columns;  // no rows: a vector
    } kinds[] = {
        {"attention_norm", 0, d},     {"attention.wq", d, d},       {"attention.wk", d_kv, d},
        {"attention.wv", d_kv, d},    {"attention.wo", d, d},       {"ffn_norm", 0, d},
        {"feed_forward.w1", d_ff, d}, {"feed_forward.w2", d, d_ff}, {"feed_forward.w3", d_ff, d},
    };
    add("tok_embeddings", config.vocab, d);
    for (const auto& kind : kinds) {
      for (int64_t layer = 0; layer < config.n_layers; ++layer) {
        add("layers." + to_text(layer) + "." + kind.name, kind.rows, kind.columns);
      }
    }
    add("norm", 0, d);
    // Cosines and sines of the rotary encoding, which everyone computes anew.
    take("freq_cis_real", config.context, config.head_size() / 2);
    take("freq_cis_imag", config.context, config.head_size() / 2);
    if (!config.tied) add("output", config.vocab, d);
    if (at_ < file_.size()) {
      fail(ErrorCode::kUnsupported, "a llama2.c file of " + to_text(at_) + " bytes", to_text(file_.size()));
    }
    return {config, std::move(tensors_)};
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string_view expected, std::string_view got) const {
    throw FormatError(code, op_, argument_, expected, got);
  }
  [[noreturn]] void fail_config(const char* expected, const char* name, int64_t got) const {
    fail(ErrorCode::kUnsupported, std::string("a llama2.c header with ") + expected,
         std::string(name) + " " + to_text(got));
  }

  Llama2cConfig read_config() {
    if (file_.size() < kHeaderSize) {
      fail(ErrorCode::kTruncated, to_text(kHeaderSize), to_text(file_.size()));
    }
    int32_t header[7];
    std::memcpy(header, file_.data(), kHeaderSize);
    at_ = kHeaderSize;
    constexpr const char* kNames[] = {"dim",        "hidden_dim", "n_layers", "n_heads",
                                      "n_kv_heads", "vocab_size", "seq_len"};
    const int64_t vocab = header[5];  // negative: an output layer of its own
    for (int i = 0; i < 7; ++i) {
      const int64_t value = i == 5 && vocab < 0 ? -vocab : header[i];
      if (value < 1) fail_config("positive sizes", kNames[i], header[i]);
    }
    const Llama2cConfig config{header[0], header[1], header[2],
                               header[3], header[4], vocab < 0 ? -vocab : vocab,
                               header[6], vocab > 0};
    if (config.n_layers > 1024) fail_config("at most 1024 layers", kNames[2], config.n_layers);
    if (config.d_model % config.n_heads != 0 || config.head_size() % 2 != 0) {
      fail_config("heads of an even size that divide dim", kNames[3], config.n_heads);
    }
    if (config.n_heads % config.n_kv_heads != 0) {
      fail_config("n_kv_heads that divide n_heads", kNames[4], config.n_kv_heads);
    }
    return config;
  }

  // The next rows x columns numbers. Each factor is below 2^31: their product is in range.
  std::span<const uint8_t> take(const std::string& name, int64_t rows, int64_t columns) {
    const uint64_t count = static_cast<uint64_t>(rows) * static_cast<uint64_t>(columns);
    if (count > (file_.size() - at_) / sizeof(float)) {
      fail(ErrorCode::kTruncated, to_text(at_ + count * sizeof(float)),
           to_text(file_.size()) + " in tensor " + name);
    }
    const std::span<const uint8_t> bytes = file_.subspan(at_, static_cast<size_t>(count) * sizeof(float));
    at_ += bytes.size();
    return bytes;
  }

  void add(const std::string& kind, int64_t rows, int64_t columns) {
    std::string name = kind + ".weight";
    const std::span<const uint8_t> bytes = take(name, rows > 0 ? rows : 1, columns);
    const Shape shape = rows > 0 ? Shape{rows, columns} : Shape{columns};
    tensors_.push_back({std::move(name), shape, Encoding::kF32, bytes});
  }

  std::span<const uint8_t> file_;
  size_t at_ = 0;
  std::vector<NamedTensor> tensors_;
  std::string_view op_;
  std::string_view argument_;
};

}  // namespace

Llama2cFile read_llama2c(std::span<const uint8_t> file, std::string_view op, std::string_view argument) {
  return Llama2cReader(file, op, argument).read();
}

}  // namespace sqrtdk
