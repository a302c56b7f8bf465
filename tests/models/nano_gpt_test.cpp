#include "models/nano_gpt.h"

#include <doctest/doctest.h>

#include <map>

#include "base/base64.h"
#include "base/errors.h"
#include "reference/allocations.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/safetensors_file.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

struct Weight {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

// 1 layer, 2 heads, d_model 4, vocab 3, context 5
constexpr char kConfig[] =
    R"({"model_type":"gpt-nano","n_layer":1,"n_head":2,"n_embd":4,"vocab_size":3,"block_size":5,"embd_pdrop":0.1})";
std::vector<Weight> weights() {
  std::vector<Weight> list = {{"transformer.wte.weight", {3, 4}, {}}, {"transformer.wpe.weight", {5, 4}, {}}};
  const auto both = [&](const std::string& name, const Shape& shape) {
    list.push_back({name + ".weight", shape, {}});
    list.push_back({name + ".bias", {shape[0]}, {}});
  };
  both("transformer.h.0.ln_1", {4});
  both("transformer.h.0.attn.c_attn", {12, 4});
  both("transformer.h.0.attn.c_proj", {4, 4});
  both("transformer.h.0.ln_2", {4});
  both("transformer.h.0.mlp.c_fc", {16, 4});
  both("transformer.h.0.mlp.c_proj", {4, 16});
  both("transformer.ln_f", {4});
  list.push_back({"lm_head.weight", {3, 4}, {}});
  Draws draws(9);
  for (Weight& weight : list) weight.values = draws.normals(weight.shape.size());
  return list;
}

std::string dims(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string entry(const Weight& weight) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(weight.values.data());
  return "\"" + weight.name + R"(": {"shape": )" + dims(weight.shape) +
         R"(, "dtype": "torch.float32", "data": ")" + encode_base64({bytes, 4 * weight.values.size()}) +
         "\"}";
}
std::string model(const std::vector<Weight>& list, const std::string& config = kConfig,
                  const std::string& more = "") {
  std::string json = "{\"config\": " + config;
  for (const Weight& weight : list) json += ",\n" + entry(weight);
  return json + more + "}";
}
const std::string kMask =
    ",\"transformer.h.0.attn.bias\": " + entry({"", {1, 1, 5, 5}, std::vector<float>(25, 1)}).substr(4);

struct Folder {
  std::string json;
  std::vector<Bytes> contents;
  std::vector<NamedFile> files;
  explicit Folder(const std::vector<Weight>& list, const std::string& more = "") {
    json = std::string("{\"name\": \"sort\", \"config\": ") + kConfig + ", \"inputs\": [";
    for (size_t i = 0; i < list.size(); ++i) {
      const Weight& weight = list[i];
      json += (i ? ", " : "") + std::string(R"({"name": ")") + weight.name +
              R"(", "dtype": "float32", "shape": )" + dims(weight.shape) + R"(, "file": "w_)" + weight.name +
              R"(.npy", "role": "weight"})";
      std::string shape = dims(weight.shape).substr(1);
      shape.back() = weight.shape.rank() == 1 ? ',' : ' ';
      std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
      header.resize(117, ' ');
      header += '\n';
      contents.push_back(file_of(std::string("\x93NUMPY\x01\0v\0", 10) + header + bytes_of(weight.values)));
    }
    json += more + "], \"outputs\": [{\"name\": \"idx\"}]}";
    for (size_t i = 0; i < list.size(); ++i) files.push_back({"w_" + list[i].name + ".npy", contents[i]});
  }
  NanoGptFile read() const { return read_nano_gpt(file_of(json), files, "op", "file"); }
};

void check_read(const NanoGptFile& read, const std::vector<Weight>& list) {
  CHECK(read.config.n_layers == 1);
  CHECK(read.config.n_heads == 2);
  CHECK(read.config.d_model == 4);
  CHECK(read.config.vocab == 3);
  CHECK(read.config.context == 5);
  REQUIRE(read.tensors.size() == list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    CHECK(read.tensors[i].name == list[i].name);
    CHECK(read.tensors[i].shape == list[i].shape);
    GuardedBuffer buffer(list[i].shape.size());
    copy_values(read.tensors[i], View(buffer.data(), list[i].shape));
    CHECK(buffer.intact());
    CHECK(same_bits(buffer.values(), list[i].values));
  }
}

template <class Read>
void refused(Read read, const std::string& expected, const std::string& got) {
  CAPTURE(got);
  const FormatError error = thrown_by<FormatError>([&] { read(); });
  CHECK(error.op == "op");
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}
void refused_json(const std::string& json, const std::string& expected, const std::string& got) {
  refused([&] { read_nano_gpt(file_of(json), "op", "file"); }, expected, got);
}
std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const size_t at = text.find(part);
  REQUIRE(at != text.npos);
  return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("nano_gpt: one file") {
  const std::vector<Weight> list = weights();
  const Bytes json = file_of(model(list)), with_mask = file_of(model(list, kConfig, kMask));
  check_read(read_nano_gpt(json, "op", "file"), list);
  check_read(read_nano_gpt(with_mask, "op", "file"), list);
}

TEST_CASE("nano_gpt: a folder") {
  const std::vector<Weight> list = weights();
  Folder folder(list);
  check_read(folder.read(), list);
  folder.json = replaced(folder.json, "\"dtype\"", "\"note\": [{\"by\": null}], \"dtype\"");
  check_read(folder.read(), list);  // what an input says beside is passed over
}

TEST_CASE("nano_gpt: what the configuration does not say") {
  const std::vector<Weight> list = weights();
  const std::string whole = model(list);
  const auto config = [&](const char* part, const char* by) {
    return model(list, replaced(kConfig, part, by));
  };
  refused_json(config("\"n_head\":2", "\"n_head\":3"), "n_head that divides n_embd", "3 in config");
  refused_json(config("\"n_layer\":1,", ""), "n_layer, n_head, n_embd, vocab_size and block_size",
               "less in config");
  refused_json(config("\"n_layer\":1", "\"n_layer\":0"), "1 .. 1024 for n_layer", "0 in config");
  refused_json(config("\"n_embd\":4", "\"n_embd\":-4"), "1 .. 262144 for n_embd", "-4 in config");
  refused_json(config("\"n_layer\":1", "\"n_layer\":2"), "tensor transformer.h.1.ln_1.weight", "none");
  refused_json(config("\"vocab_size\":3", "\"vocab_size\":4"), "shape (4, 4)",
               "(3, 4) in tensor transformer.wte.weight");
  refused_json("{}", "a config", "none");
  refused_json("[]", "a JSON object", "'[' at byte 0");
  for (size_t i = 0; i < list.size(); ++i) {
    std::vector<Weight> fewer = list;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    refused_json(model(fewer), "tensor " + list[i].name, "none");
    std::vector<Weight> other = list;
    other[i].shape = {list[i].shape.size(), 1};
    const std::string wrong = other[i].shape.text() + " in tensor " + list[i].name;
    refused_json(model(other), "shape " + list[i].shape.text(), wrong);
  }
  std::vector<Weight> more = list;
  more.push_back({"x", {1}, {1}});
  refused_json(model(more), "the tensors of the config", "another or a second one in tensor x");
  more.back() = list[0];
  refused([&] { Folder(more).read(); }, "the tensors of the config",
          "another or a second one in tensor transformer.wte.weight");
}

TEST_CASE("nano_gpt: malformed tensors") {
  const std::string whole = model(weights()), wte = " in tensor transformer.wte.weight";
  refused_json(replaced(whole, "torch.float32", "torch.float16"), "dtype torch.float32",
               "torch.float16" + wte);
  refused_json(replaced(whole, "[3, 4]", "[-3, 4]"), "a shape with a size of 1 .. 2^32",
               "dimension -3" + wte);
  refused_json(replaced(whole, "[3, 4]", "[4294967296, 4294967296]"), "a shape with a size of 1 .. 2^32",
               "dimension 4294967296" + wte);
  refused_json(replaced(whole, "[3, 4]", "[3, 5]"), "the numbers of the shape (3, 5)",
               "64 characters, or what is not Base64," + wte);
  refused_json(replaced(whole, "\"data\": \"", "\"data\": \"\\/"), "the numbers of the shape (3, 4)",
               "66 characters, or what is not Base64," + wte);
  refused_json(replaced(whole, "\"data\": \"", "\"more\": 1, \"data\": \""), "shape, dtype and data",
               "the key more" + wte);
  refused_json(replaced(whole, "\"dtype\": \"torch.float32\", ", ""), "shape, dtype and data", "less" + wte);
  refused_json(
      replaced(whole, "transformer.wpe.weight", "transformer.wte.weight"), "every key once",
      "a second transformer.wte.weight at byte " + std::to_string(whole.find("\"transformer.wpe.weight")));
  for (size_t n = 0; n < whole.size(); n += 7) {
    CHECK_THROWS_AS(read_nano_gpt(file_of(whole.substr(0, n)), "op", "file"), FormatError);
  }
}

TEST_CASE("nano_gpt: malformed folders") {
  const std::vector<Weight> list = weights();
  const std::string last = " in tensor lm_head.weight";
  refused(
      [&] {
        Folder folder(list);
        folder.files.pop_back();
        folder.read();
      },
      "the file w_lm_head.weight.npy", "none" + last);
  refused(
      [&] {
        Folder folder(list);
        folder.files.back().bytes = folder.files[0].bytes.first(170);
        folder.read();
      },
      "176", "170");
  refused(
      [&] {
        Folder folder(list);
        folder.files.back().bytes = folder.files[1].bytes;
        folder.read();
      },
      "the numbers of the shape (3, 4)", "the shape (5, 4)" + last);
  refused(
      [&] {
        Folder folder(list);
        folder.json = replaced(folder.json, "float32", "float16");
        folder.read();
      },
      "a shape and dtype float32", "others in tensor transformer.wte.weight");
}

TEST_CASE("nano_gpt: a changed byte is read or refused") {
  Draws draws(11);
  const Bytes whole = file_of(model(weights(), kConfig, kMask));
  for (int i = 0; i < 1000; ++i) {
    Bytes json = whole;
    json[draws.bits() % json.size()] ^= static_cast<uint8_t>(1 + draws.bits() % 255);
    const PeakMemory memory;
    try {
      const NanoGptFile read = read_nano_gpt(json, "op", "file");
      CHECK(read.tensors.size() == 17);
    } catch (const FormatError& error) {
      CHECK(error.op == "op");
    }
    CHECK(memory.bytes() < json.size() + 6000);
  }
}
