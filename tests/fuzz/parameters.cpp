// An experiment's parameters, of every kind, "name=text" in each line, are refused, or their canonical text
// is read as itself.
#include <map>

#include "fuzz/fuzz.h"
#include "lab/common_params.h"

namespace sqrtdk::fuzz {
namespace {

constexpr const char* kFurther[] = {"learned", "cosine"};
constexpr Param kParams[] = {d_param("8,64"),
                             kNKeysParam,
                             real_param("share", "0.5", 0, 1),
                             kDistributionParam,
                             scale_param("none", 4, kFurther),
                             kSeedParam,
                             matrix_param("matrix", ""),
                             text_param("words", "", 64),
                             {.name = "file", .kind = FileParam{.max_bytes = 64}, .default_value = ""}};

}  // namespace

void run(Bytes input) {
  std::map<std::string, std::string> texts;
  std::string_view rest = text_of(input);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t equals = line.find('=');
    // A name, or the number of a parameter.
    std::string name(line.substr(0, equals));
    if (name.size() == 1) {
      name = kParams[static_cast<uint8_t>(name[0]) % std::size(kParams)].name;
    }
    texts[name] = equals == line.npos ? "" : line.substr(equals + 1);
  }
  Params params;
  if (refused([&] { params = Params::parse("fuzz", kParams, texts); })) return;
  std::map<std::string, std::string> canonical(params.text().begin(), params.text().end());
  canonical["file"] = texts["file"];  // of which there are only the size and the hash
  CHECK(Params::parse("fuzz", kParams, canonical).text() == params.text());
}

}  // namespace sqrtdk::fuzz
