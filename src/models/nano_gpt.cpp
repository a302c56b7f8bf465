#include "models/nano_gpt.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/json_reader.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxLayers = 1024, kMaxSize = 1 << 18;  // products of two are sizes of shapes

class NanoGptReader {
 public:
  NanoGptReader(std::span<const uint8_t> json, std::string_view op, std::string_view argument)
      : op_(op),
        argument_(argument),
        json_({reinterpret_cast<const char*>(json.data()), json.size()}, op, argument) {}

  NanoGptFile read_one() {
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == "config") {
        read_config();
      } else {
        read_tensor(key);
      }
    }
    return finish();
  }

  NanoGptFile read_folder(std::span<const NamedFile> files) {
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == "config") {
        read_config();
      } else if (key == "inputs") {
        json_.begin_array();
        while (json_.next_element()) read_input(files);
      } else {
        json_.skip();
      }
    }
    return finish();
  }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const {
    throw FormatError(ErrorCode::kUnsupported, op_, argument_, expected, got);
  }
  static std::string in_tensor(const std::string& name) { return " in tensor " + name.substr(0, 200); }

  void read_config() {
    has_config_ = true;
    json_.set_subject("config");
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      int64_t* const size = key == "n_layer"      ? &config_.n_layers
                            : key == "n_head"     ? &config_.n_heads
                            : key == "n_embd"     ? &config_.d_model
                            : key == "vocab_size" ? &config_.vocab
                            : key == "block_size" ? &config_.context
                                                  : nullptr;
      if (!size) {
        json_.skip();
        continue;
      }
      *size = json_.integer();
      const int64_t most = size == &config_.n_layers ? kMaxLayers : kMaxSize;
      if (*size < 1 || *size > most) {
        fail("1 .. " + to_text(most) + " for " + key, to_text(*size) + " in config");
      }
    }
    json_.set_subject("");
  }

  // {"shape": [..], "dtype": "torch.float32", "data": ".."}
  void read_tensor(const std::string& name) {
    NamedTensor tensor{name, {}, Encoding::kBase64F32, {}};
    bool has_shape = false, has_dtype = false, has_data = false;
    json_.set_subject("tensor " + name.substr(0, 200));
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == "shape") {
        has_shape = true;
        tensor.shape = read_shape(name);
      } else if (key == "dtype") {
        has_dtype = true;
        read_dtype("torch.float32", name);
      } else if (key == "data") {
        has_data = true;
        const std::string_view data = json_.string_as_written();
        tensor.bytes = {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
      } else {
        fail("shape, dtype and data", "the key " + key.substr(0, 40) + in_tensor(name));
      }
    }
    json_.set_subject("");
    if (!has_shape || !has_dtype || !has_data) fail("shape, dtype and data", "less" + in_tensor(name));
    check_bytes(tensor, op_, argument_);
    tensors_.push_back(std::move(tensor));
  }

  // {"name": "..", "dtype": "float32", "shape": [..], "file": "..", "role": "weight"}
  void read_input(std::span<const NamedFile> files) {
    NamedTensor tensor{"", {}, Encoding::kNpy, {}};
    std::string file, dtype, role;
    bool has_shape = false;
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == "name") {
        tensor.name = json_.string();
      } else if (key == "dtype") {
        dtype = json_.string();
      } else if (key == "shape") {
        has_shape = true;
        tensor.shape = read_shape(tensor.name);
      } else if (key == "file") {
        file = json_.string();
      } else if (key == "role") {
        role = json_.string();
      } else {
        json_.skip();
      }
    }
    if (role != "weight") return;
    if (!has_shape || dtype != "float32")
      fail("a shape and dtype float32", "others" + in_tensor(tensor.name));
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const NamedFile& f) { return f.name == file; });
    if (found == files.end()) fail("the file " + file.substr(0, 200), "none" + in_tensor(tensor.name));
    tensor.bytes = found->bytes;
    check_bytes(tensor, op_, std::string(argument_) + " " + file.substr(0, 200));
    tensors_.push_back(std::move(tensor));
  }

  void read_dtype(const char* expected, const std::string& name) {
    const std::string dtype = json_.string();
    if (dtype != expected) fail(std::string("dtype ") + expected, dtype.substr(0, 40) + in_tensor(name));
  }

  Shape read_shape(const std::string& name) {
    int64_t dims[4];  // a causal mask has four
    int rank = 0;
    int64_t size = 1;
    json_.begin_array();
    while (json_.next_element()) {
      const int64_t dim = json_.integer();
      if (rank == 4) fail("a shape of at most 4 dimensions", "more" + in_tensor(name));
      if (dim < 1 || dim > (int64_t{1} << 32) / size) {
        fail("a shape with a size of 1 .. 2^32", "dimension " + to_text(dim) + in_tensor(name));
      }
      size *= dim;
      dims[rank++] = dim;
    }
    return Shape(dims, rank);
  }

  NanoGptFile finish() {
    json_.end();
    if (!has_config_) fail("a config", "none");
    const NanoGptConfig& c = config_;
    for (const int64_t size : {c.n_layers, c.n_heads, c.d_model, c.vocab, c.context}) {
      if (size == 0) fail("n_layer, n_head, n_embd, vocab_size and block_size", "less in config");
    }
    if (c.d_model % c.n_heads != 0) {
      fail("n_head that divides n_embd", to_text(c.n_heads) + " in config");
    }
    check_tensors();
    return {c, std::move(tensors_)};
  }

  void check_tensors() {
    const int64_t d = config_.d_model;
    const auto block = [](int64_t layer) { return "transformer.h." + to_text(layer) + "."; };
    for (int64_t layer = 0; layer < config_.n_layers; ++layer) drop_mask(block(layer) + "attn.bias");
    std::vector<bool> expected(tensors_.size(), false);
    const auto expect = [&](const std::string& name, const Shape& shape) {
      const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                      [&](const NamedTensor& tensor) { return tensor.name == name; });
      if (found == tensors_.end()) fail("tensor " + name, "none");
      if (found->shape != shape) fail("shape " + shape.text(), found->shape.text() + in_tensor(name));
      expected[static_cast<size_t>(found - tensors_.begin())] = true;
    };
    const auto expect_both = [&](const std::string& name, const Shape& weight) {
      expect(name + ".weight", weight);
      expect(name + ".bias", {weight[0]});
    };
    expect("transformer.wte.weight", {config_.vocab, d});
    expect("transformer.wpe.weight", {config_.context, d});
    for (int64_t layer = 0; layer < config_.n_layers; ++layer) {
      expect_both(block(layer) + "ln_1", {d});
      expect_both(block(layer) + "attn.c_attn", {3 * d, d});
      expect_both(block(layer) + "attn.c_proj", {d, d});
      expect_both(block(layer) + "ln_2", {d});
      expect_both(block(layer) + "mlp.c_fc", {4 * d, d});
      expect_both(block(layer) + "mlp.c_proj", {d, 4 * d});
    }
    expect_both("transformer.ln_f", {d});
    expect("lm_head.weight", {config_.vocab, d});
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (!expected[i])
        fail("the tensors of the config", "another or a second one" + in_tensor(tensors_[i].name));
    }
  }

  void drop_mask(const std::string& name) {
    const Shape mask{1, 1, config_.context, config_.context};
    std::erase_if(tensors_, [&](const NamedTensor& t) { return t.name == name && t.shape == mask; });
  }

  std::string_view op_;
  std::string_view argument_;
  JsonReader json_;
  bool has_config_ = false;
  NanoGptConfig config_{};
  std::vector<NamedTensor> tensors_;
};

}  // namespace

NanoGptFile read_nano_gpt(std::span<const uint8_t> json, std::string_view op, std::string_view argument) {
  return NanoGptReader(json, op, argument).read_one();
}

NanoGptFile read_nano_gpt(std::span<const uint8_t> json, std::span<const NamedFile> files,
                          std::string_view op, std::string_view argument) {
  return NanoGptReader(json, op, argument).read_folder(files);
}

}  // namespace sqrtdk
