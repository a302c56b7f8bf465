#include "formats/safetensors.h"

#include <cstring>
#include <tuple>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/json_reader.h"
#include "base/sort.h"

namespace sqrtdk {
namespace {

constexpr size_t kLengthSize = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // that of the format's own library
constexpr char kMetadata[] = "__metadata__";
constexpr uint8_t kZip[] = {'P', 'K', 3, 4};  // how a zip file begins

uint64_t read_length(std::span<const uint8_t> file) {
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthSize; ++i) length |= static_cast<uint64_t>(file[i]) << (8 * i);
  return length;
}

std::string subject_of(const std::string& name) { return "tensor " + name.substr(0, 200); }

class SafeTensorsReader {
 public:
  SafeTensorsReader(std::span<const uint8_t> file, std::string_view op, std::string_view argument)
      : file_(file), op_(op), argument_(argument), header_(find_header()), json_(header_, op, argument, 8) {}

  SafeTensors read() {
    SafeTensors result;
    result.tensors.reserve(count_tensors());
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == kMetadata) {
        result.metadata = read_metadata();
      } else {
        json_.set_subject(subject_of(key));
        result.tensors.push_back(read_tensor(std::move(key)));
        json_.set_subject("");
      }
    }
    json_.end();
    check_coverage(result.tensors);
    return result;
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string_view expected, std::string_view got) const {
    throw FormatError(code, op_, argument_, expected, got);
  }
  [[noreturn]] void fail(std::string_view expected, const std::string& got, const std::string& name) const {
    fail(ErrorCode::kUnsupported, expected, got + " in " + subject_of(name));
  }

  std::string_view find_header() const {
    if (file_.size() < kLengthSize) {
      fail(ErrorCode::kTruncated, to_text(kLengthSize), to_text(file_.size()));
    }
    const uint64_t length = read_length(file_);
    if (length > file_.size() - kLengthSize && std::memcmp(file_.data(), kZip, sizeof kZip) == 0) {
      fail(ErrorCode::kUnsupported, "a safetensors file",
           "a zip of pickles, as torch.save writes it: save as safetensors instead");
    }
    if (length > kMaxHeader) {
      fail(ErrorCode::kUnsupported, "a safetensors file with a header of at most 100 MB",
           to_text(length) + " bytes");
    }
    if (length > file_.size() - kLengthSize) {
      fail(ErrorCode::kTruncated, to_text(kLengthSize + length), to_text(file_.size()));
    }
    return {reinterpret_cast<const char*>(file_.data()) + kLengthSize, static_cast<size_t>(length)};
  }

  // Reads the header once for its JSON alone, so that the list is as long as it has to be.
  size_t count_tensors() const {
    JsonReader json(header_, op_, argument_, kLengthSize);
    if (header_.empty() || header_[0] != '{') json.fail("a safetensors header, which begins with '{'");
    json.begin_object();
    size_t count = 0;
    for (std::string key; json.next_key(key);) {
      count += key != kMetadata;
      json.set_subject(key == kMetadata ? key : subject_of(key));
      json.skip();
      json.set_subject("");
    }
    json.end();
    return count;
  }

  std::string_view read_metadata() {
    const std::string_view metadata = json_.skip();
    const size_t start = kLengthSize + static_cast<size_t>(metadata.data() - header_.data());
    JsonReader json(metadata, op_, argument_, start);
    json.set_subject(kMetadata);
    json.begin_object();
    for (std::string key; json.next_key(key);) json.string_as_written();
    return metadata;
  }

  NamedTensor read_tensor(std::string name) {
    NamedTensor tensor{std::move(name), {}, Encoding::kF32, {}};
    bool has_dtype = false, has_shape = false, has_offsets = false;
    int64_t offsets[2] = {};
    json_.begin_object();
    for (std::string key; json_.next_key(key);) {
      if (key == "dtype") {
        has_dtype = true;
        tensor.encoding = read_dtype(tensor.name);
      } else if (key == "shape") {
        has_shape = true;
        tensor.shape = read_shape(tensor.name);
      } else if (key == "data_offsets") {
        has_offsets = true;
        read_offsets(offsets);
      } else {
        fail("dtype, shape and data_offsets", "the key " + key.substr(0, 40), tensor.name);
      }
    }
    if (!has_dtype) fail("a dtype", "none", tensor.name);
    if (!has_shape) fail("a shape", "none", tensor.name);
    if (!has_offsets) fail("data_offsets", "none", tensor.name);
    place(tensor, offsets[0], offsets[1]);
    return tensor;
  }

  Encoding read_dtype(const std::string& name) {
    const std::string dtype = json_.string();
    if (dtype == "F32") return Encoding::kF32;
    if (dtype == "F16") return Encoding::kF16;
    if (dtype == "BF16") return Encoding::kBF16;
    fail("dtype F32, F16 or BF16", dtype.substr(0, 40), name);
  }

  Shape read_shape(const std::string& name) {
    constexpr int64_t kMaxSize = int64_t{1} << 40;  // Shape's
    int64_t dims[Shape::kMaxRank];
    int64_t size = 1;  // of the dimensions that are not 0
    int rank = 0;
    json_.begin_array();
    while (json_.next_element()) {
      const int64_t dim = json_.integer();
      if (rank == Shape::kMaxRank) fail("a shape of at most 6 dimensions", "more", name);
      if (dim < 0 || dim > kMaxSize / size) {
        fail("a shape with a size of 0 .. 2^40", "dimension " + to_text(dim), name);
      }
      if (dim > 0) size *= dim;
      dims[rank++] = dim;
    }
    return Shape(dims, rank);
  }

  void read_offsets(int64_t offsets[2]) {
    json_.begin_array();
    for (int i = 0; i < 2; ++i) {
      if (!json_.next_element()) json_.fail("two data_offsets");
      offsets[i] = json_.integer();
    }
    if (json_.next_element()) json_.fail("two data_offsets");
  }

  void place(NamedTensor& tensor, int64_t begin, int64_t end) const {
    const std::span<const uint8_t> data = file_.subspan(kLengthSize + header_.size());
    const std::string range = to_text(begin) + " .. " + to_text(end);
    if (begin < 0 || end < begin) fail("data_offsets from 0 upwards", range, tensor.name);
    const int64_t bytes = tensor.shape.size() * bytes_of(tensor.encoding);
    if (end - begin != bytes) {
      fail(to_text(bytes) + " bytes for the shape " + tensor.shape.text(), to_text(end - begin), tensor.name);
    }
    if (static_cast<uint64_t>(end) > data.size()) {
      fail(ErrorCode::kTruncated, to_text(kLengthSize + header_.size() + static_cast<uint64_t>(end)),
           to_text(file_.size()) + " in " + subject_of(tensor.name));
    }
    tensor.bytes = data.subspan(static_cast<size_t>(begin), static_cast<size_t>(bytes));
  }

  // Sorts the tensors by their place: each begins where the one before it ends, up to the end of the file.
  void check_coverage(std::vector<NamedTensor>& tensors) const {
    heap_sort(tensors, [](const NamedTensor& a, const NamedTensor& b) {
      const uint8_t *begin_a = a.bytes.data(), *begin_b = b.bytes.data();
      return std::tuple(begin_a, a.bytes.size(), std::string_view(a.name)) <
             std::tuple(begin_b, b.bytes.size(), std::string_view(b.name));
    });
    const uint8_t* const data = file_.data() + kLengthSize + header_.size();
    const uint8_t* at = data;
    const NamedTensor* before = nullptr;
    for (const NamedTensor& tensor : tensors) {
      if (tensor.bytes.data() != at) {
        fail("data_offsets from " + to_text(at - data),
             to_text(tensor.bytes.data() - data) +
                 (tensor.bytes.data() < at ? ", an overlap with " + subject_of(before->name) + ","
                                           : ", a gap"),
             tensor.name);
      }
      at += tensor.bytes.size();
      before = &tensor;
    }
    const std::ptrdiff_t rest = file_.data() + file_.size() - at;
    if (rest == 0) return;
    fail(ErrorCode::kUnsupported, "the end of the file after the last tensor's data",
         to_text(rest) + " bytes more" + (before ? " after " + subject_of(before->name) : ""));
  }

  std::span<const uint8_t> file_;
  std::string_view op_;
  std::string_view argument_;
  std::string_view header_;
  JsonReader json_;
};

}  // namespace

SafeTensors read_safetensors(std::span<const uint8_t> file, std::string_view op, std::string_view argument) {
  return SafeTensorsReader(file, op, argument).read();
}

Metadata read_metadata(std::string_view metadata) {
  Metadata pairs;
  if (metadata.empty()) return pairs;
  JsonReader json(metadata, "read_metadata", "metadata");
  json.begin_object();
  for (std::string key; json.next_key(key);) pairs.emplace_back(key, json.string());
  json.end();
  return pairs;
}

}  // namespace sqrtdk
