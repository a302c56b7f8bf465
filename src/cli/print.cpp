#include "cli/print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace sqrtdk::cli {
namespace {

// In characters: those that are two columns wide on some terminals count once.
size_t width(const std::string& cell) {
  return static_cast<size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string number(double x) {
  if (std::isnan(x)) return "";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", x);
  return digits;
}

std::string words_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

const char* name_of(Holds holds) {
  if (holds == Holds::kCannotBeJudged) return "cannot be judged here";
  return holds == Holds::kYes ? "holds" : "does not hold";
}

/// What a parameter takes, in words.
struct Range {
  std::string operator()(const IntParam& kind) const { return "integer, " + between(kind); }
  std::string operator()(const IntListParam& kind) const {
    return up_to(kind.max_count) + " integers, " + between(kind);
  }
  std::string operator()(const RealParam& kind) const { return "number, " + between(kind); }
  std::string operator()(const ChoiceParam& kind) const { return joined(kind.choices, " | "); }
  std::string operator()(const ScaleListParam& kind) const {
    return up_to(kind.max_count) + " of " + joined(scale_names(kind.further)) + " or a number";
  }
  std::string operator()(const SeedParam&) const { return "integer, 0 .. 18446744073709551615"; }
  std::string operator()(const MatrixParam&) const {
    return "rows separated by ';', columns by ',' or @FILE (.csv, .npy)";
  }
  std::string operator()(const TextParam& kind) const {
    return "text or @FILE, " + up_to(kind.max_bytes) + " bytes";
  }
  std::string operator()(const FileParam& kind) const { return "@FILE, " + up_to(kind.max_bytes) + " bytes"; }

 private:
  static std::string between(const auto& kind) { return shortest(kind.min) + " .. " + shortest(kind.max); }
  static std::string up_to(size_t count) { return "up to " + std::to_string(count); }
};

}  // namespace

std::string aligned(const Table& table, size_t right_from) {
  std::vector<size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (i >= right_from ? pad + row[i] : row[i] + pad);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string help_text() {
  return "sqrtdk: why does attention divide by sqrt(d_k)? Every claim is an experiment.\n"
         "\n"
         "  sqrtdk list [--json]                         the experiments\n"
         "  sqrtdk run ID [--name value ...] [--json]    run one of them\n"
         "  sqrtdk run ID --preset NAME [--name value ...]\n"
         "                                               with settings that it names\n"
         "  sqrtdk run ID --help                         its parameters and presets\n"
         "  sqrtdk generate --model FILE.bin --tokenizer FILE.bin [--prompt TEXT] [--steps N] [--scale "
         "SCALE]\n"
         "                                               a trained model continues a text\n"
         "  sqrtdk train [--name value ...]              train a model; sqrtdk train --help\n"
         "  sqrtdk schema --json                         the fields of layers, models and trainers\n"
         "  sqrtdk --help | --version\n"
         "\n"
         "Values are text, as in a link to the page: --d 32,128 --scale 'none,1/sqrt(d)' --seed 7\n"
         "--name=value works too; a matrix may come from a file: --q @q.npy --k @k.csv, a checkpoint\n"
         "always does: --checkpoint @model.safetensors\n"
         "Exit status: 0, 1 where standard output cannot be written, or 2 where the arguments are wrong.\n";
}

std::string help_text(const Experiment& experiment) {
  Table table;
  for (const Param& param : experiment.params) {
    const std::string text = param.default_value;
    table.push_back({std::string("  --") + param.name, std::visit(Range(), param.kind),
                     text.empty() ? "" : "default " + clipped(text)});
  }
  std::vector<const char*> presets;
  for (const Preset& preset : experiment.presets) presets.push_back(preset.name);
  if (!presets.empty()) {
    table.push_back({"  --preset", joined(presets, " | "), "other settings than the defaults"});
  }
  return std::string(experiment.id) + ": " + experiment.question + "\n(" + experiment.source + ")\n\n" +
         aligned(table);
}

std::string list_text() {
  Table table;
  for (const Experiment* experiment : all_experiments())
    table.push_back({experiment->id, experiment->question});
  return aligned(table);
}

std::string run_text(const Run& run) {
  const Result& result = run.result;
  std::string text;
  for (const std::string& line : result.lines) text += line + "\n";
  Table table = {{"", "", "value", "+- se", "expected"}};
  for (const Scalar& scalar : result.scalars) {
    std::string at;
    for (const auto& [name, value] : scalar.at)
      at += (at.empty() ? "" : " ") + std::string(name) + "=" + value;
    table.push_back({scalar.name, at, std::isnan(scalar.value) ? "nan" : number(scalar.value),
                     number(scalar.se), number(scalar.expected)});
  }
  if (!text.empty()) text += "\n";
  text += aligned(table, 2);
  text += std::string("\n") + name_of(result.holds) + ": " + words_of(result.verdict) + "\n";
  return text + (result.timed ? "times of this device\n" : "hash " + result_hash(result) + "\n");
}

}  // namespace sqrtdk::cli
