// Prints what the operators take and answer, for scripts/update_signatures.mjs: as JSON the names of each
// choice, and for each operator, and each group of arguments that several have, "append_rows(past: f32, x:
// f32, present: f32): void".
#include <array>
#include <cstdio>

#include "kernels/attention/scale.h"
#include "lab/json_writer.h"
#include "operators.h"

namespace {

using namespace sqrtdk;
using namespace sqrtdk::border;

/// `names` are separated by blanks.
std::string text_of(const std::string& name, std::string_view names, const Signature& signature) {
  std::string list;
  for (const std::string& kind : signature.kinds) {
    const size_t end = std::min(names.find(' '), names.size());
    if (!list.empty()) list += ", ";
    list.append(names.substr(0, end)).append(": ").append(kind);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return name + "(" + list + "): " + signature.answer;
}

}  // namespace

int main() {
  Json json;
  json.open('{').key("choices").open('{');
  each_choice([&]<class Enum>(Enum, const char* kind) {
    json.key(kind).open('[');
    for (const char* const name : Choices<Enum>::kNames) json.value(name);
    json.close(']');
  });
  json.close('}').key("scales").values(scale_names(std::array{"default"}));
  json.key("groups").open('[');
  json.value(
      text_of("attention", AttentionArguments::kNames, signature_of<decltype(&AttentionArguments::of)>()));
  json.close(']').key("operators").open('[');
  for (const auto table : kTables) {
    for (const Operator& each : table()) json.value(text_of(each.name, each.names, each.signature()));
  }
  json.close(']').close('}');
  return std::puts(json.take().c_str()) < 0 ? 1 : 0;
}
