#include "formats/read_numbers.h"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <locale>
#include <sstream>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using sqrtdk::reference::same_bits;

namespace {

NumberArray csv(std::string_view text) { return read_csv(text, "op", "k"); }

NumberArray npy(const std::string& bytes) {
  const std::vector<uint8_t> exact(bytes.begin(), bytes.end());  // so that a read past the end is caught
  return read_npy(exact.data(), exact.size(), "op", "k");
}

template <class Read>
void refused(Read read, const std::string& text, ErrorCode code, const std::string& got) {
  CAPTURE(got);
  const FormatError error = thrown_by<FormatError>([&] { read(text); });
  CHECK(error.code == code);
  CHECK(error.op == "op");
  CHECK(error.argument == "k");
  CHECK(error.got == got);
}
void refused_csv(const std::string& text, ErrorCode code, const std::string& got) {
  refused(csv, text, code, got);
}
void refused_npy(const std::string& text, ErrorCode code, const std::string& got) {
  refused(npy, text, code, got);
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string npy_file(const std::string& dictionary, const std::string& data, int major = 1) {
  std::string file = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  size_t length = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i, length >>= 8) file += static_cast<char>(length & 0xFF);
  return file + dictionary + data;
}
std::string header(const char* dtype, const char* shape, const char* fortran = "False") {
  return std::string("{'descr': '") + dtype + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
         ", }    \n";
}
std::string npy_file(const char* dtype, const char* shape, const std::string& data) {
  return npy_file(header(dtype, shape), data);
}

}  // namespace

TEST_CASE("csv: rows and columns in every usual writing") {
  for (const char* text :
       {"1,2,3\n4,5,6\n", "1,2,3;4,5,6", "1 2 3\r\n4 5 6\r\n", "1\t2\t3\n4\t5\t6", " 1 , 2,\t3 ;; 4,5 ,6 ; ",
        "a,b,c\n1,2,3\n4,5,6", "# two rows\n1,2,3 # first\n\n4,5,6", "\357\273\2771,2,3\r4,5,6",
        "+1,2.,3e0;.4e1,50E-1,0006"}) {
    CAPTURE(text);
    const NumberArray array = csv(text);
    CHECK(array.shape == std::vector<int64_t>{2, 3});
    CHECK(array.values == std::vector<float>{1, 2, 3, 4, 5, 6});
  }
  CHECK(csv("7").shape == std::vector<int64_t>{1, 1});
  CHECK(csv("7\n8").shape == std::vector<int64_t>{2, 1});
}

TEST_CASE("csv: decimals are rounded to the nearest float") {
  const std::vector<float> expected = {0.1f,           -1.0f / 3,   1.17549435e-38f, 1e-45f, 0.0f,
                                       3.40282347e38f, 16777216.0f, 16777218.0f,     -0.0f,  1e10f};
  // 16777217 lies between two floats, and a hair more is rounded up, however far behind the point the hair
  // is.
  const NumberArray array =
      csv("0.1 -0.333333333333333333333 1.17549435082228750797e-38 1e-45 1e-1000000000000 "
          "340282356779733661637539395458142568447 "
          "16777217 16777217.00000000000000000000000000000000000001 -0 0.0000000001e20");
  CHECK(same_bits(array.values, expected));
}

TEST_CASE("csv: the process's locale does not matter") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name)) break;  // where one is installed
  }
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale streams = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::stringstream probe;
  probe << 1.5;
  CHECK(probe.str() == "1,5");
  const NumberArray array = csv("1.5 -0.25e1");
  std::locale::global(streams);
  std::setlocale(LC_NUMERIC, before.c_str());
  CHECK(array.values == std::vector<float>{1.5f, -2.5f});
}

TEST_CASE("csv: what is wrong is named with its row and column") {
  const ErrorCode not_a_number = ErrorCode::kNotANumber, not_finite = ErrorCode::kNotFinite;
  for (const char* word :
       {"x", "1.2.3", "0x10", "1e", "1e+", "--1", "1-", ".", "+", "e5", "1f", "nanx", "\"3\""}) {
    refused_csv(std::string("1,2\n3,") + word, not_a_number, std::string(word) + " in row 2, column 2");
  }
  refused_csv("1,,2", not_a_number, "nothing in row 1, column 2");
  refused_csv(",1", not_a_number, "nothing in row 1, column 1");
  refused_csv("1,", not_a_number, "nothing in row 1, column 2");
  refused_csv("a,1", not_a_number, "a in row 1, column 1");
  refused_csv("only words", not_a_number, "only in row 1, column 1");
  refused_csv("a,b\n1,2\n\nc,3", not_a_number, "c in row 2, column 1");
  refused_csv(std::string("1\0", 2), not_a_number, std::string("1\0", 2) + " in row 1, column 1");
  refused_csv("1," + std::string(1000, 'x'), not_a_number, std::string(40, 'x') + " in row 1, column 2");
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "1e39", "-1e999999999999",
                           "340282356779733661637539395458142568448"}) {
    refused_csv(std::string("1,2\n3,") + word, not_finite, std::string(word) + " in row 2, column 2");
  }
  refused_csv("1,2\n3", ErrorCode::kWrongShape, "1 columns in row 2");
  refused_csv("1\n2 3", ErrorCode::kWrongShape, "2 columns in row 2");
  for (const char* empty : {"", " ", "\n;\r\n;", "# nothing", "\xEF\xBB\xBF"})
    refused_csv(empty, ErrorCode::kEmpty, "");
}

TEST_CASE("npy: every dtype") {
  const std::vector<float> expected = {1, 0, 2};
  CHECK(npy(npy_file("<f4", "(3,)", bytes_of<float>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("<f8", "(3,)", bytes_of<double>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("|i1", "(3,)", bytes_of<int8_t>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("<i2", "(3,)", bytes_of<int16_t>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("<i4", "(3,)", bytes_of<int32_t>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("<i8", "(3,)", bytes_of<int64_t>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("|u1", "(3,)", bytes_of<uint8_t>({1, 0, 2}))).values == expected);
  CHECK(npy(npy_file("|b1", "(3,)", bytes_of<uint8_t>({1, 0, 1}))).values == std::vector<float>{1, 0, 1});
  CHECK(npy(npy_file("|i1", "(1,)", "\xFE")).values == std::vector<float>{-2});
  CHECK(npy(npy_file("|u1", "(1,)", "\xFE")).values == std::vector<float>{254});
  CHECK(npy(npy_file("<i8", "(1,)", bytes_of<int64_t>({16777217}))).values == std::vector<float>{16777216});
  CHECK(npy(npy_file("<f8", "(1,)", bytes_of<double>({0.1}))).values == std::vector<float>{0.1f});
}

TEST_CASE("npy: half precision, all classes") {
  const std::vector<float> expected = {1, -2, 65504, 0x1p-14f, 0x1p-24f, 0x1.ff8p-15f, 0, -0.0f, 0x1.554p-2f};
  const std::string data =
      bytes_of<uint16_t>({0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x03FF, 0, 0x8000, 0x3555});
  CHECK(same_bits(npy(npy_file("<f2", "(9,)", data)).values, expected));
  refused_npy(npy_file("<f2", "(1,)", bytes_of<uint16_t>({0x7C00})), ErrorCode::kNotFinite,
              "infinity in row 1, column 1");
  refused_npy(npy_file("<f2", "(1,)", bytes_of<uint16_t>({0x7E00})), ErrorCode::kNotFinite,
              "NaN in row 1, column 1");
}

TEST_CASE("npy: shapes, orders, versions, keys in any order, data behind the array") {
  const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const int major : {1, 2, 3}) {
    CHECK(npy(npy_file(header("<f4", "(2, 3)"), six, major)).shape == std::vector<int64_t>{2, 3});
  }
  CHECK(npy(npy_file("<f4", "(2, 3)", six + "more")).values == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(npy(npy_file(header("<f4", "(2, 3)", "True"), six)).values == std::vector<float>{1, 3, 5, 2, 4, 6});
  CHECK(npy(npy_file(header("<f4", "(1, 3, 2)", "True"), six)).values ==
        std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(npy(npy_file("<f4", "()", bytes_of<float>({5}))).shape.empty());
  CHECK(npy(npy_file("<f4", "()", bytes_of<float>({5}))).values == std::vector<float>{5});
  CHECK(npy(npy_file("<f4", "(0, 3)", "")).shape == std::vector<int64_t>{0, 3});
  CHECK(npy(npy_file("<f4", "(0, 3)", "")).values.empty());
  CHECK(npy(npy_file("{\"shape\":(6,),\"fortran_order\":True,\"descr\":\"<f4\"}", six)).values.size() == 6);
}

TEST_CASE("npy: hostile files are refused") {
  const ErrorCode unsupported = ErrorCode::kUnsupported;
  refused_npy("", unsupported, "an empty file");
  refused_npy("\x93NUMPX\x01", unsupported, "another kind of file");
  refused_npy(npy_file(header("<f4", "(1,)"), "1234", 4), unsupported, "version 4");
  refused_npy(npy_file(header("<f4", "(1,)"), "1234", 0), unsupported, "version 0");
  for (const char* dtype :
       {">f4", ">f8", "=f4", "|f4", "<f16", "<c8", "<u4", "|S3", "<U1", "|O", "<M8[ns]", "f4", ""}) {
    refused_npy(npy_file(dtype, "(1,)", std::string(64, '\0')), unsupported, std::string("dtype ") + dtype);
  }
  refused_npy(npy_file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
              unsupported, "a structured dtype");
  for (const char* dictionary :
       {"", "{", "}", "{}x", "{'descr': '<f4'", "{'descr' '<f4'}", "{'descr: '<f4'}", "{'descr': <f4}",
        "{'a': 1}", "[]", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"}) {
    CHECK_THROWS_AS(npy(npy_file(dictionary, "1234")), FormatError);
  }
  for (const char* shape :
       {"(-1,)", "(1", "1", "(1,,)", "(,)", "(a,)", "(1.5,)", "[1]", "(1,)(1,)", "None"}) {
    CHECK_THROWS_AS(npy(npy_file("<f4", shape, "1234")), FormatError);
  }
  CHECK_THROWS_AS(npy(npy_file("{'descr': '<f4', 'fortran_order': False}", "1234")), FormatError);
  CHECK_THROWS_AS(npy(npy_file("{'shape': (1,), 'shape': (1,)}", "1234")), FormatError);
  refused_npy(npy_file("<f4", "(1,1,1,1,1,1,1)", "1234"), unsupported, "more");
  // Sizes that overflow, or that no file could hold: nothing is allocated.
  for (const char* shape : {"(4294967296,)", "(65536, 65536)", "(2147483647, 2147483647, 2147483647)",
                            "(99999999999999999999999999,)", "(0, 4294967296, 4294967296)"}) {
    const FormatError error = thrown_by<FormatError>([&] { npy(npy_file("<f4", shape, "1234")); });
    CHECK(error.code == ErrorCode::kTooMany);
  }
  CHECK_THROWS_AS(npy(npy_file("<f4", "(2147483647,)", "1234")), FormatError);
}

TEST_CASE("npy: a file cut anywhere is an error, never a read past its end") {
  const std::string whole = npy_file("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4}));
  for (size_t size = 0; size < whole.size(); ++size) CHECK_THROWS_AS(npy(whole.substr(0, size)), FormatError);
  refused_npy(whole.substr(0, whole.size() - 1), ErrorCode::kTruncated, std::to_string(whole.size() - 1));
  std::string lying = whole;  // a header that claims to be longer than the file
  lying[8] = '\xFF';
  lying[9] = '\xFF';
  refused_npy(lying, ErrorCode::kTruncated, std::to_string(whole.size()));
  lying = whole;  // a header that reaches into the data
  lying[8] = static_cast<char>(lying[8] + 4);
  CHECK_THROWS_AS(npy(lying), FormatError);
  lying[8] = 20;  // a header that ends too soon
  CHECK_THROWS_AS(npy(lying), FormatError);
}

TEST_CASE("npy: any damaged byte gives an error or an array that fits its shape") {
  const std::string whole = npy_file("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4}));
  reference::Draws draws(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[draws.bits() % damaged.size()] = static_cast<char>(draws.bits());
    try {
      const NumberArray array = npy(damaged);
      int64_t size = 1;
      for (const int64_t dim : array.shape) size *= dim;
      CHECK(size == static_cast<int64_t>(array.values.size()));
    } catch (const FormatError&) {
    }
  }
}

TEST_CASE("npy: NaN and infinity are named with row and column of the array, in either order") {
  const std::string data = bytes_of<float>({1, 2, NAN, 4, 5, 6});
  refused_npy(npy_file("<f4", "(2, 3)", data), ErrorCode::kNotFinite, "NaN in row 1, column 3");
  refused_npy(npy_file(header("<f4", "(2, 3)", "True"), data), ErrorCode::kNotFinite,
              "NaN in row 1, column 2");
  refused_npy(npy_file("<f4", "(6,)", data), ErrorCode::kNotFinite, "NaN in row 1, column 3");
  refused_npy(npy_file("<f8", "(2, 1)", bytes_of<double>({1, -1e39})), ErrorCode::kNotFinite,
              "-infinity in row 2, column 1");
  refused_npy(npy_file("<f4", "()", bytes_of<float>({INFINITY})), ErrorCode::kNotFinite,
              "infinity in row 1, column 1");
}
