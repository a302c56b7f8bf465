#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "lab/common_params.h"
#include "lab/experiment.h"
#include "reference/thrown_by.h"

namespace sqrtdk {
namespace {

constexpr const char* kRngs[] = {"philox", "torch"};
const std::vector<Param> kDescription = {
    {.name = "d", .kind = IntListParam{1, 16384, 4}, .default_value = "32,128"},
    {.name = "n", .kind = IntParam{1, 4096}, .default_value = "8"},
    {.name = "x", .kind = RealParam{-1, 1}, .default_value = "0.5"},
    {.name = "rng", .kind = ChoiceParam{kRngs}, .default_value = "philox"},
    {.name = "scale", .kind = ScaleListParam{4}, .default_value = "none,1/sqrt(d)"},
    {.name = "seed", .kind = SeedParam{}, .default_value = "0"},
    {.name = "q", .kind = MatrixParam{}, .default_value = ""},
    {.name = "words", .kind = TextParam{12}, .default_value = "the cat"},
    {.name = "file", .kind = FileParam{6}, .default_value = ""},
};

Params parse(const std::map<std::string, std::string>& text) {
  return Params::parse("test", kDescription, text);
}

std::string canonical(const std::string& name, const std::string& value) {
  const Params params = parse({{name, value}});
  for (const auto& [key, text] : params.text()) {
    if (key == name) return text;
  }
  return "missing";
}

void refuses(const std::string& name, const std::string& value, ErrorCode code, const std::string& expected,
             const std::string& got) {
  CAPTURE(name);
  CAPTURE(value);
  const ValueError error = thrown_by<ValueError>([&] { parse({{name, value}}); });
  CHECK(error.code == code);
  CHECK(error.op == "test");
  CHECK(error.argument == name);
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}

TEST_CASE("params: defaults, in the order of the description") {
  const Params params = parse({});
  CHECK(params.integers("d") == std::vector<int64_t>{32, 128});
  CHECK(params.integer("n") == 8);
  CHECK(params.real("x") == 0.5);
  CHECK(params.choice("rng") == "philox");
  CHECK(params.scales("scale").size() == 2);
  CHECK(params.seed("seed") == 0);
  CHECK(params.matrix("q") == nullptr);
  CHECK(params.words("words") == "the cat");
  CHECK(params.file("file").empty());
  REQUIRE(params.text().size() == kDescription.size());
  for (size_t i = 0; i < kDescription.size(); ++i) {
    CHECK(params.text()[i].first == kDescription[i].name);
    CHECK(params.text()[i].second == kDescription[i].default_value);
  }
}

TEST_CASE("params: blanks are tolerated, the canonical text has none") {
  CHECK(canonical("d", " 1 ,\t2,\n3 ") == "1,2,3");
  CHECK(canonical("n", " 7 ") == "7");
  CHECK(canonical("n", "+7") == "7");
  CHECK(canonical("x", " -5e-1 ") == "-0.5");
  CHECK(canonical("x", ".25") == "0.25");
  CHECK(canonical("x", "-0") == "0");
  CHECK(canonical("x", "0.1") == "0.1");
  CHECK(canonical("x", "0.30000000000000004") == "0.30000000000000004");
  CHECK(canonical("rng", " torch ") == "torch");
  CHECK(canonical("scale", " none , 1 / sqrt( d ) , 0.50 ") == "none,1/sqrt(d),0.5");
  CHECK(canonical("seed", " 18446744073709551615 ") == "18446744073709551615");
}

TEST_CASE("params: full-width forms count as their ASCII") {
  CHECK(canonical("n", "\u3000１２") == "12");
  CHECK(canonical("d", "１，２、３") == "1,2,3");
  CHECK(canonical("x", "－０．５") == "-0.5");
  CHECK(canonical("x", "−0.5") == "-0.5");
  CHECK(canonical("rng", "ｔｏｒｃｈ") == "torch");
  CHECK(canonical("scale", "１／ｓｑｒｔ（ｄ），０．５") == "1/sqrt(d),0.5");
  refuses("n", "1\xEF\xBC", ErrorCode::kNotANumber, "integer", "1\xEF\xBC");  // half of one
}

TEST_CASE("params: integers") {
  using enum ErrorCode;
  refuses("n", "0", kOutOfRange, "1 .. 4096", "0");
  refuses("n", "-3", kOutOfRange, "1 .. 4096", "-3");
  refuses("n", "4097", kOutOfRange, "1 .. 4096", "4097");
  refuses("n", "99999999999999999999999", kOutOfRange, "1 .. 4096", "99999999999999999999999");
  refuses("n", "-99999999999999999999999", kOutOfRange, "1 .. 4096", "-99999999999999999999999");
  for (const char* text : {"1e5", "8.0", "8.5", "0x8", "eight", "8 8", "--8", "+", "nan", "inf", "八"}) {
    refuses("n", text, kNotANumber, "integer", text);
  }
  refuses("n", "", kNotANumber, "integer", "");
  refuses("n", "  ", kNotANumber, "integer", "");
  CHECK(parse({{"n", "4096"}}).integer("n") == 4096);
}

TEST_CASE("params: lists of integers") {
  using enum ErrorCode;
  refuses("d", "0", kOutOfRange, "1 .. 16384", "0");
  refuses("d", "1000000000", kOutOfRange, "1 .. 16384", "1000000000");
  refuses("d", "32,0,128", kOutOfRange, "1 .. 16384", "0");
  refuses("d", "", kEmpty, "at least 1 value", "");
  refuses("d", " \n", kEmpty, "at least 1 value", "");
  refuses("d", ",", kNotANumber, "integer", "");
  refuses("d", "32,128,", kNotANumber, "integer", "");
  refuses("d", "32,,128", kNotANumber, "integer", "");
  refuses("d", "32;128", kNotANumber, "integer", "32;128");
  refuses("d", "1e5", kNotANumber, "integer", "1e5");
  refuses("d", "1,2,3,4,5", kTooMany, "4", "5");
  CHECK(parse({{"d", "1,2,3,4"}}).integers("d").size() == 4);
}

TEST_CASE("params: numbers") {
  using enum ErrorCode;
  refuses("x", "1.0000001", kOutOfRange, "-1 .. 1", "1.0000001");
  refuses("x", "1e999", kOutOfRange, "-1 .. 1", "1e999");
  for (const char* text : {"nan", "inf", "-inf", "1e", "e1", ".", "-", "0x1p3", "1,0", "½"}) {
    refuses("x", text, kNotANumber, "number", text);
  }
  CHECK(parse({{"x", "-1"}}).real("x") == -1);
}

TEST_CASE("params: choices, scales, seeds") {
  using enum ErrorCode;
  refuses("rng", "numpy", kNotAChoice, "philox, torch", "numpy");
  refuses("rng", "", kNotAChoice, "philox, torch", "");
  const char* scales = "none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, number";
  refuses("scale", "1/e", kNotAChoice, scales, "1/e");
  refuses("scale", "none,", kNotAChoice, scales, "");
  refuses("scale", "nan", kNotAChoice, scales, "nan");
  refuses("scale", "1e999", kNotFinite, "finite number", "1e999");
  refuses("scale", "1e39", kNotFinite, "finite number", "1e39");  // beyond float
  refuses("scale", "", kEmpty, "at least 1 value", "");
  refuses("scale", "1,2,3,4,5", kTooMany, "4", "5");
  refuses("seed", "-1", kOutOfRange, "0 .. 18446744073709551615", "-1");
  refuses("seed", "18446744073709551616", kOutOfRange, "0 .. 18446744073709551615", "18446744073709551616");
  refuses("seed", "1.5", kNotANumber, "integer", "1.5");
  refuses("seed", "", kNotANumber, "integer", "");
  CHECK(parse({{"seed", "18446744073709551615"}}).seed("seed") == 0xffffffffffffffff);
}

TEST_CASE("params: further names in a list of scales") {
  static constexpr const char* kFurther[] = {"learned", "cosine"};
  const std::vector<Param> description = {
      {.name = "scale", .kind = ScaleListParam{3, kFurther}, .default_value = "none"}};
  const Params params = Params::parse("test", description, {{"scale", " cosine,1/d, learned"}});
  CHECK(params.text()[0].second == "cosine,1/d,learned");
  CHECK(params.scales("scale")[0].kind == Scale::Kind::kCosine);
  CHECK(params.scales("scale")[1].at(64) == 1.0f / 64);
  CHECK(role_of(params.scales("scale")[2]) == Role::kOther);
  CHECK(!(params.scales("scale")[0] == params.scales("scale")[2]));
  const ValueError error = thrown_by<ValueError>([&] {
    Params::parse("test", description, {{"scale", "own"}});
  });
  CHECK(error.expected == "none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, learned, cosine, number");
  refuses("scale", "learned", ErrorCode::kNotAChoice, "none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, number",
          "learned");
}

TEST_CASE("params: an unknown name is answered with the known ones") {
  const ValueError error = thrown_by<ValueError>([&] { parse({{"dim", "32"}}); });
  CHECK(error.code == ErrorCode::kUnknownName);
  CHECK(error.argument == "parameter");
  CHECK(error.expected == "d, n, x, rng, scale, seed, q, words, file");
  CHECK(error.got == "dim");
}

TEST_CASE("params: huge and hostile texts are clipped, at a whole character") {
  const auto got = [](const std::string& name, const std::string& text) {
    return thrown_by<ValueError>([&] { parse({{name, text}}); }).got;
  };
  CHECK(got("n", std::string(1000000, '7')) == std::string(60, '7') + "...");
  CHECK(got("n", std::string(59, 'a') + "维维") == std::string(59, 'a') + "...");
  refuses("n", "a\nb\x1b[31m", ErrorCode::kNotANumber, "integer", "a b [31m");
  CHECK(got(std::string(1000, 'x'), "1").size() == 63);
}

TEST_CASE("params: a matrix, rows by ';' or newline, columns by ','") {
  const Params params = parse({{"q", "1, 2.5,-3e-3;\n4,5,6"}});
  const Matrix* q = params.matrix("q");
  REQUIRE(q != nullptr);
  CHECK(q->rows == 2);
  CHECK(q->cols == 3);
  CHECK(q->values == std::vector<float>{1, 2.5f, -3e-3f, 4, 5, 6});
  CHECK(params.text()[6].second == "1,2.5,-0.003;4,5,6");
  CHECK(canonical("q", "0.1,16777216,1e-40") == "0.1,16777216,1e-40");
  CHECK_THROWS_AS(parse({{"q", "1,2;3"}}), FormatError);
  CHECK_THROWS_AS(parse({{"q", "1,two"}}), FormatError);
  CHECK_THROWS_AS(parse({{"q", "1,nan"}}), FormatError);
}

TEST_CASE("params: words are kept as they are, in UTF-8 and not too many") {
  CHECK(canonical("words", " 猫, sat\n") == " 猫, sat\n");
  CHECK(parse({{"words", "猫坐在垫"}}).words("words") == "猫坐在垫");
  CHECK(parse({{"words", ""}}).words("words").empty());
  refuses("words", "猫坐在垫子", ErrorCode::kTooMany, "12 bytes", "15 bytes");
  for (const char* bytes : {"\xff", "\xe7\x8c", "\xc0\x80", "\xed\xa0\x80", "a\x80"}) {
    CHECK_THROWS_AS(parse({{"words", bytes}}), FormatError);
  }
}

TEST_CASE("params: a file, of which the canonical text says only size and hash") {
  const Params params = parse({{"file", " AP9BQg==\n"}});
  const std::span<const uint8_t> file = params.file("file");
  CHECK(std::vector<uint8_t>(file.begin(), file.end()) == std::vector<uint8_t>{0, 255, 'A', 'B'});
  const std::string text = params.text().back().second;
  CHECK(text.starts_with("4 bytes, "));
  CHECK(text.size() == 9 + 16);
  CHECK(text != canonical("file", "AP9BQw=="));
  CHECK(canonical("file", "") == "");
  CHECK(parse({{"file", "QQ=="}}).file("file").size() == 1);
  CHECK(parse({{"file", "QUI="}}).file("file").size() == 2);
  CHECK(parse({{"file", "QUJDREVG"}}).file("file").size() == 6);
  refuses("file", "QUJDREVGRw==", ErrorCode::kTooMany, "6 bytes", "7 bytes");
  for (const char* bad :
       {"AP9BQg", "AP9BQg=", "A", "=", "====", "AP9B====", "AP9B Qg==", "AP9BQh==", "@file", "AP9_", "猫"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse({{"file", bad}}), FormatError);
  }
}

TEST_CASE("params: the colour of a scale follows from its name") {
  CHECK(role_of(parse_scale("test", "1/sqrt(d)")) == Role::kScaled);
  CHECK(role_of(parse_scale("test", "none")) == Role::kUnscaled);
  CHECK(role_of(parse_scale("test", "1")) == Role::kOther);
}

TEST_CASE("params: numbers in order, each once; what is beyond its bounds, and heads that do not divide") {
  CHECK(ascending({8, 2, 8, 4, 2}) == std::vector<int64_t>{2, 4, 8});
  CHECK(ascending({}).empty());
  check_within("op", "n", 3, 3, 5), check_within("op", "n", 5, 3, 5);
  for (const int64_t value : {2, 6}) {
    const ValueError error = thrown_by<ValueError>([&] { check_within("op", "n", value, 3, 5); });
    CHECK(error.argument == "n");
    CHECK(error.expected == "3 .. 5");
    CHECK(error.got == std::to_string(value));
  }
  check_heads("op", 12, 3);
  CHECK(thrown_by<ValueError>([] { check_heads("op", 12, 5); }).argument == "n_heads");
}

}  // namespace
}  // namespace sqrtdk
