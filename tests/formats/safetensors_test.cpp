#include "formats/safetensors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/safetensors_file.h"
#include "tensor/half.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

SafeTensors read(const Bytes& file) { return read_safetensors(file, "op", "file"); }

std::vector<float> values_of(const NamedTensor& tensor) {
  GuardedBuffer buffer(tensor.shape.size(), 1);
  copy_values(tensor, View(buffer.data(), tensor.shape));
  CHECK(buffer.intact());
  return buffer.values();
}

}  // namespace

TEST_CASE("safetensors: a file made by hand is read") {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[6,14]},)"
      R"("a":{"shape":[1,2],"data_offsets":[2,6],"dtype":"BF16"},"s":{"dtype":"F16","shape":[],"data_offsets":[0,2]}})";
  const Bytes file =
      safetensors_file(header, bytes_of<uint16_t>({0x3C00, 0x3F80, 0xC000}) + bytes_of<float>({1.5f, -0.0f}));
  const SafeTensors read_back = read(file);
  REQUIRE(read_back.tensors.size() == 3);
  const auto& tensors = read_back.tensors;  // in the order of their data
  CHECK(tensors[0].name == "s");
  CHECK(tensors[0].shape == Shape{});
  CHECK(tensors[0].encoding == Encoding::kF16);
  CHECK(values_of(tensors[0]) == std::vector<float>{1});
  CHECK(tensors[1].name == "a");
  CHECK(tensors[1].shape == Shape{1, 2});
  CHECK(values_of(tensors[1]) == std::vector<float>{1, -2});
  CHECK(tensors[2].name == "b");
  CHECK(tensors[2].bytes.data() == file.data() + file.size() - 8);
  CHECK(same_bits(values_of(tensors[2]), std::vector<float>{1.5f, -0.0f}));
  CHECK(read_back.metadata == R"({"format":"pt"})");
  CHECK(read_metadata(read_back.metadata) == Metadata{{"format", "pt"}});
}

TEST_CASE("safetensors: the bytes that are written") {
  const float w[] = {1, -2}, s[] = {0.5f};
  const TensorToWrite tensors[] = {{"w", {w, {1, 2}}}, {"a\"b", {s, {}}}, {"none", {nullptr, {0, 3}}}};
  const std::string f32 =
      R"({"__metadata__":{"a":"x\n","b":""},"a\"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]}})";
  const std::string padding((8 - f32.size() % 8) % 8, ' ');
  CHECK(write_safetensors(tensors, Encoding::kF32, {{"b", ""}, {"a", "x\n"}}) ==
        safetensors_file(f32 + padding, bytes_of<float>({0.5f, 1, -2})));

  const TensorToWrite one[] = {{"w", {w, {2}}}};
  CHECK(write_safetensors(one, Encoding::kF16) ==
        safetensors_file(R"({"w":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}  )",
                         bytes_of<uint16_t>({0x3C00, 0xC000})));
  CHECK(write_safetensors(one, Encoding::kBF16) ==
        safetensors_file(R"({"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}} )",
                         bytes_of<uint16_t>({0x3F80, 0xC000})));
  CHECK(write_safetensors({}, Encoding::kF32) == safetensors_file("{}      ", ""));
  CHECK(read(write_safetensors({}, Encoding::kF32)).tensors.empty());
}

TEST_CASE("safetensors: what is written is read, in every dtype and shape") {
  Draws draws(7);
  const Shape shapes[] = {{}, {1}, {0}, {3}, {0, 5}, {5, 0, 2}, {2, 3}, {7, 1, 3}, {1, 2, 3, 1, 2, 2}, {33}};
  const Metadata metadata{{"", "empty"}, {"k\u00e9y", "\u6743\u91cd \"\\\n\x01"}};
  for (const Encoding encoding : {Encoding::kF32, Encoding::kF16, Encoding::kBF16}) {
    std::vector<std::vector<float>> values;
    std::vector<TensorToWrite> tensors;
    for (const Shape& shape : shapes) values.push_back(draws.normals(shape.size()));
    values[9][0] = std::numeric_limits<float>::quiet_NaN();
    values[9][1] = -std::numeric_limits<float>::infinity();
    values[9][2] = -0.0f;
    values[9][3] = 1e-40f;
    for (size_t i = 0; i < values.size(); ++i) {
      tensors.push_back({"layers." + std::to_string(9 - i) + ".\u00b5\\", {values[i].data(), shapes[i]}});
    }
    const Bytes file = write_safetensors(tensors, encoding, metadata);
    const SafeTensors read_back = read(file);
    CHECK(read_metadata(read_back.metadata) == metadata);
    REQUIRE(read_back.tensors.size() == tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      const auto found = std::find_if(read_back.tensors.begin(), read_back.tensors.end(),
                                      [&](const NamedTensor& t) { return t.name == tensors[i].name; });
      REQUIRE(found != read_back.tensors.end());
      CHECK(found->shape == shapes[i]);
      CHECK(found->encoding == encoding);
      std::vector<float> rounded = values[i];
      for (float& x : rounded) {
        if (encoding == Encoding::kF16) x = f16_value(f16_bits(x));
        if (encoding == Encoding::kBF16) x = bf16_value(bf16_bits(x));
      }
      CHECK(same_bits(values_of(*found), rounded));
    }
    std::reverse(tensors.begin(), tensors.end());
    CHECK(write_safetensors(tensors, encoding, {metadata[1], metadata[0]}) == file);
  }
}

TEST_CASE("safetensors: what cannot be written") {
  const float x[] = {1};
  const auto refused = [&](std::vector<TensorToWrite> tensors, Encoding encoding, const Metadata& metadata) {
    CHECK_THROWS_AS(write_safetensors(tensors, encoding, metadata), ValueError);
  };
  const ConstView value(x, Shape{1});
  refused({{"w", value}, {"w", value}}, Encoding::kF32, {});
  refused({{"__metadata__", value}}, Encoding::kF32, {});
  refused({{"\xFF", value}}, Encoding::kF32, {});
  refused({{"w", value}}, Encoding::kNpy, {});
  refused({{"w", value}}, Encoding::kBase64F32, {});
  refused({}, Encoding::kF32, {{"a", "1"}, {"a", "2"}});
  refused({}, Encoding::kF32, {{"a", "\xFF"}});
}

TEST_CASE("safetensors: values go into a view of the tensor's shape alone") {
  const Bytes file =
      safetensors_file(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", bytes_of<float>({1, 2}));
  NamedTensor tensor = read(file).tensors[0];
  GuardedBuffer buffer(2);
  const std::vector<float> before = buffer.values();
  CHECK_THROWS_AS(copy_values(tensor, View(buffer.data(), {1, 2})), ShapeError);
  tensor.bytes = tensor.bytes.first(4);
  CHECK_THROWS_AS(copy_values(tensor, View(buffer.data(), {2})), FormatError);
  CHECK(same_bits(buffer.values(), before));
}
