#include <doctest/doctest.h>

#include "base/errors.h"
#include "formats/safetensors.h"
#include "reference/allocations.h"
#include "reference/buffers.h"
#include "reference/safetensors_file.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

#ifndef SQRTDK_MUTATIONS
#define SQRTDK_MUTATIONS 2000
#endif
constexpr int kMutations = SQRTDK_MUTATIONS;

void refused(const Bytes& file, ErrorCode code, const std::string& expected, const std::string& got) {
  CAPTURE(expected);
  CAPTURE(got);
  const PeakMemory memory;
  const FormatError error = thrown_by<FormatError>([&] { read_safetensors(file, "op", "file"); });
  CHECK(memory.bytes() < file.size() + 3000);  // the error's texts
  CHECK(error.code == code);
  CHECK(error.op == "op");
  CHECK(error.argument == "file");
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}
void refused(const std::string& header, const std::string& data, const std::string& expected,
             const std::string& got, ErrorCode code = ErrorCode::kUnsupported) {
  refused(safetensors_file(header, data), code, expected, got);
}
// One tensor w, and 8 bytes of data.
void refused_tensor(const std::string& tensor, const std::string& expected, const std::string& got,
                    ErrorCode code = ErrorCode::kUnsupported) {
  refused("{\"w\":" + tensor + "}", std::string(8, '\0'), expected, got + " in tensor w", code);
}
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}
std::string f32(const std::string& shape, const std::string& offsets) {
  return tensor("\"F32\"", shape, offsets);
}

}  // namespace

TEST_CASE("safetensors: what torch.save writes is named") {
  for (const std::string& rest : {std::string("\0\0\x08\x08", 4), std::string(4, '\0')}) {
    refused(file_of("PK\x03\x04" + rest + "archive/data.pkl"), ErrorCode::kUnsupported, "a safetensors file",
            "a zip of pickles, as torch.save writes it: save as safetensors instead");
  }
}

TEST_CASE("safetensors: cut short") {
  refused(file_of(""), ErrorCode::kTruncated, "8", "0");
  refused(file_of(std::string(7, '\0')), ErrorCode::kTruncated, "8", "7");
  refused(file_of(std::string(8, '\0')), ErrorCode::kUnsupported,
          "a safetensors header, which begins with '{'", "the end at byte 8");
  refused(file_of(bytes_of<uint64_t>({3}) + "{}"), ErrorCode::kTruncated, "11", "10");
  refused(file_of(bytes_of<uint64_t>({100'000'000}) + "{}"), ErrorCode::kTruncated, "100000008", "10");
  for (const uint64_t length : {uint64_t{100'000'001}, ~uint64_t{0}, ~uint64_t{7}, uint64_t{1} << 63}) {
    refused(file_of(bytes_of<uint64_t>({length}) + "{}"), ErrorCode::kUnsupported,
            "a safetensors file with a header of at most 100 MB", std::to_string(length) + " bytes");
  }
  const std::string header = "{\"w\":" + f32("[2]", "[0,8]") + "}";  // 54 bytes
  refused(header, std::string(7, '\0'), "70", "69 in tensor w", ErrorCode::kTruncated);

  const Bytes whole = safetensors_file(header, std::string(8, '\0'));
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS_AS(read_safetensors(part, "op", "file"), FormatError);
  }
}

TEST_CASE("safetensors: a header that is not a JSON object") {
  const std::string begins = "a safetensors header, which begins with '{'";
  refused("[]", "", begins, "'[' at byte 8");
  refused(" {}", "", begins, "'{' at byte 9");
  refused("not JSON", "", begins, "'n' at byte 8");
  refused("{} {}", "", "the end of the JSON text", "'{' at byte 11");
  refused(std::string("{}\0", 3), "", "the end of the JSON text", "another character at byte 10");
  refused("{\"w\":{\"dtype\":\"F32\",}}", "", "a JSON string", "'}' at byte 28 in tensor w");
  refused("{\"w\":{\"dtype\":F32}}", "", "a JSON value", "'F' at byte 22 in tensor w");
  refused("{\"\xFF\":1}", "", "UTF-8", "other bytes at byte 10");
  refused("{\"w\":1}", "", "a JSON object", "'1' at byte 13 in tensor w");
  refused("{\"w\":null}", "", "a JSON object", "'n' at byte 13 in tensor w");
  refused("{\"w\":" + std::string(50, '['), "", "at most 32 levels of JSON", "more at byte 44 in tensor w");
}

TEST_CASE("safetensors: keys twice, missing, unknown") {
  const std::string w = f32("[1]", "[0,4]");
  refused("{\"w\":" + w + ",\"w\":" + f32("[1]", "[4,8]") + "}", std::string(8, '\0'), "every key once",
          "a second w at byte 62");
  refused("{\"w\":" + w + ",\"\\u0077\":" + w + "}", std::string(4, '\0'), "every key once",
          "a second w at byte 62");
  refused("{\"__metadata__\":{},\"__metadata__\":{}}", "", "every key once",
          "a second __metadata__ at byte 27");
  refused("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", "", "every key once",
          "a second a at byte 32 in __metadata__");
  refused("{\"__metadata__\":{\"a\":1}}", "", "a JSON string", "'1' at byte 29 in __metadata__");
  refused("{\"__metadata__\":[]}", "", "a JSON object", "'[' at byte 24 in __metadata__");
  refused_tensor(R"({"dtype":"F32","dtype":"F16","shape":[2],"data_offsets":[0,8]})", "every key once",
                 "a second dtype at byte 28");
  refused_tensor(R"({"shape":[2],"data_offsets":[0,8]})", "a dtype", "none");
  refused_tensor(R"({"dtype":"F32","data_offsets":[0,8]})", "a shape", "none");
  refused_tensor(R"({"dtype":"F32","shape":[2]})", "data_offsets", "none");
  refused_tensor(R"({"dtype":"F32","shape":[2],"offsets":[0,8]})", "dtype, shape and data_offsets",
                 "the key offsets");
}

TEST_CASE("safetensors: dtypes that are not read") {
  for (const char* dtype : {"F64", "I64", "BOOL", "U8", "F8_E4M3", "f32", "F32 ", "", "float"}) {
    refused_tensor(tensor("\"" + std::string(dtype) + "\"", "[1]", "[0,8]"), "dtype F32, F16 or BF16", dtype);
  }
  refused_tensor(tensor("32", "[2]", "[0,8]"), "a JSON string", "'3' at byte 22");
}

TEST_CASE("safetensors: shapes that no tensor has") {
  const std::string sizes = "a shape with a size of 0 .. 2^40";
  refused_tensor(f32("[-2]", "[0,8]"), sizes, "dimension -2");
  refused_tensor(f32("[-1,-2]", "[0,8]"), sizes, "dimension -1");
  refused_tensor(f32("[1099511627777]", "[0,8]"), sizes, "dimension 1099511627777");
  refused_tensor(f32("[4294967296,4294967296]", "[0,0]"), sizes, "dimension 4294967296");
  refused_tensor(f32("[4611686018427387905]", "[0,4]"), sizes, "dimension 4611686018427387905");
  refused_tensor(f32("[0,9223372036854775807,9223372036854775807]", "[0,0]"), sizes,
                 "dimension 9223372036854775807");
  refused_tensor(f32("[18446744073709551618]", "[0,8]"), "an integer of 64 bits",
                 "18446744073709551618 at byte 37");
  refused_tensor(f32("[2.0]", "[0,8]"), "an integer", "2.0 at byte 37");
  refused_tensor(f32("[2e0]", "[0,8]"), "an integer", "2e0 at byte 37");
  refused_tensor(f32("[\"2\"]", "[0,8]"), "a JSON number", "'\"' at byte 37");
  refused_tensor(f32("2", "[0,8]"), "a JSON array", "'2' at byte 36");
  refused_tensor(f32("[1,1,1,1,1,1,2]", "[0,8]"), "a shape of at most 6 dimensions", "more");
}

TEST_CASE("safetensors: places that do not fit") {
  refused_tensor(f32("[2]", "[-8,0]"), "data_offsets from 0 upwards", "-8 .. 0");
  refused_tensor(f32("[2]", "[8,0]"), "data_offsets from 0 upwards", "8 .. 0");
  refused_tensor(f32("[2]", "[-9223372036854775808,9223372036854775807]"), "data_offsets from 0 upwards",
                 "-9223372036854775808 .. 9223372036854775807");
  refused_tensor(f32("[2]", "[0,4]"), "8 bytes for the shape (2,)", "4");
  refused_tensor(f32("[2]", "[0,7]"), "8 bytes for the shape (2,)", "7");
  refused_tensor(f32("[]", "[0,8]"), "4 bytes for the shape ()", "8");
  refused_tensor(f32("[0]", "[0,8]"), "0 bytes for the shape (0,)", "8");
  refused_tensor(tensor("\"F16\"", "[2]", "[0,8]"), "4 bytes for the shape (2,)", "8");
  refused_tensor(f32("[1099511627776]", "[0,8]"), "4398046511104 bytes for the shape (1099511627776,)", "8");
  refused_tensor(f32("[3]", "[0,12]"), "75", "71", ErrorCode::kTruncated);
  refused_tensor(f32("[2]", "[4,12]"), "75", "71", ErrorCode::kTruncated);
  refused_tensor(f32("[0]", "[9,9]"), "71", "70", ErrorCode::kTruncated);
  refused_tensor(f32("[2]", "[9223372036854775799,9223372036854775807]"), "9223372036854775905", "106",
                 ErrorCode::kTruncated);
  refused_tensor(f32("[2]", "[0]"), "two data_offsets", "'}' at byte 58");
  refused_tensor(f32("[2]", "[0,8,8]"), "two data_offsets", "'8' at byte 60");
  refused_tensor(f32("[2]", "[]"), "two data_offsets", "'}' at byte 57");
}

TEST_CASE("safetensors: gaps, overlaps and what no tensor holds") {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{\"a\":" + a + ",\"b\":" + b + "}";
  };
  const std::string twelve(12, '\0');
  refused(two(f32("[2]", "[0,8]"), f32("[2]", "[4,12]")), twelve, "data_offsets from 8",
          "4, an overlap with tensor a, in tensor b");
  refused(two(f32("[2]", "[4,12]"), f32("[2]", "[0,8]")), twelve, "data_offsets from 8",
          "4, an overlap with tensor b, in tensor a");
  refused(two(f32("[3]", "[0,12]"), f32("[3]", "[0,12]")), twelve, "data_offsets from 12",
          "0, an overlap with tensor a, in tensor b");
  refused(two(f32("[3]", "[0,12]"), f32("[0]", "[4,4]")), twelve, "data_offsets from 12",
          "4, an overlap with tensor a, in tensor b");
  refused(two(f32("[1]", "[0,4]"), f32("[1]", "[8,12]")), twelve, "data_offsets from 4",
          "8, a gap in tensor b");
  refused(two(f32("[1]", "[4,8]"), f32("[1]", "[8,12]")), twelve, "data_offsets from 0",
          "4, a gap in tensor a");
  refused(two(f32("[1]", "[0,4]"), f32("[1]", "[4,8]")), twelve,
          "the end of the file after the last tensor's data", "4 bytes more after tensor b");
  refused("{}", "x", "the end of the file after the last tensor's data", "1 bytes more");
  const Bytes fits = safetensors_file(two(f32("[0]", "[12,12]"), f32("[3]", "[0,12]")), twelve);
  CHECK(read_safetensors(fits, "op", "file").tensors.size() == 2);
}

TEST_CASE("safetensors: a changed byte is read or refused, with no more memory than the file's") {
  Draws draws(3);
  const std::vector<float> values = draws.normals(1000);
  std::vector<TensorToWrite> tensors;
  for (int i = 0; i < 4; ++i) {
    tensors.push_back({"layers." + std::to_string(i) + ".weight", {values.data(), {i, 100}}});
  }
  const Bytes whole = write_safetensors(tensors, Encoding::kF32, {{"format", "pt"}});
  const size_t header = whole.size() - 600 * sizeof(float);
  int n_read = 0, n_refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    Bytes file = whole;
    file[draws.bits() % header] ^= static_cast<uint8_t>(1 + draws.bits() % 255);
    std::vector<float> copy(600);
    const PeakMemory memory;
    try {
      const SafeTensors read_back = read_safetensors(file, "op", "file");
      const Metadata metadata = read_metadata(read_back.metadata);
      ++n_read;
      size_t bytes = 0;
      for (const NamedTensor& tensor : read_back.tensors) {
        bytes += tensor.bytes.size();
        REQUIRE(tensor.shape.size() <= 600);
        copy_values(tensor, View(copy.data(), tensor.shape));
      }
      CHECK(bytes == 600 * sizeof(float));
    } catch (const FormatError& error) {
      ++n_refused;
      CHECK(error.op == "op");
    }
    CHECK(memory.bytes() < file.size());
  }
  CHECK(n_read > kMutations / 20);  // a name's letter, say
  CHECK(n_refused > kMutations / 3);
}
