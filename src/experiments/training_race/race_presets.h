#pragma once
// Races worth seeing. Each has the defaults of what it does not name.
#include "lab/experiment.h"

namespace sqrtdk {
namespace race {

using Texts = std::pair<const char*, const char*>[];

// A nursery rhyme that repeats itself, which a small model learns quickly.
inline constexpr const char* kRhyme =
    "This is the house that Jack built.\n"
    "This is the malt that lay in the house that Jack built.\n"
    "This is the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that "
    "Jack built.\n"
    "This is the cow with the crumpled horn that tossed the dog that worried the cat that killed the rat "
    "that ate the malt that lay in the house that Jack built.\n";

inline constexpr Texts kHeadline = {{"length", "12"},           {"symbols", "16"}, {"batch", "32"},
                                    {"learning_rate", "0.001"}, {"steps", "500"},  {"record_every", "25"},
                                    {"examples", "256"}};
inline constexpr Texts kDoseResponse = {{"scale", "none,1/sqrt(d)"},
                                        {"n_heads", "1,2,4,16"},
                                        {"d_model", "128"},
                                        {"length", "8"},
                                        {"batch", "16"},
                                        {"learning_rate", "0.001"},
                                        {"steps", "400"}};
inline constexpr Texts kCounterExample = {{"task", "recall"},         {"length", "4"},       {"symbols", "4"},
                                          {"n_heads", "8"},           {"batch", "32"},       {"steps", "700"},
                                          {"learning_rate", "0.001"}, {"record_every", "25"}};
inline constexpr Texts kInverseHurts = {{"task", "recall"},         {"length", "4"},       {"symbols", "4"},
                                        {"n_heads", "2"},           {"batch", "32"},       {"steps", "800"},
                                        {"learning_rate", "0.001"}, {"record_every", "25"}};
inline constexpr Texts kInitialization = {{"init", "normal"}, {"batch", "16"}, {"learning_rate", "0.001"}};
inline constexpr Texts kDates = {{"task", "dates"}, {"topology", "encoder_decoder"},
                                 {"batch", "16"},   {"learning_rate", "0.002"},
                                 {"steps", "500"},  {"record_every", "25"}};
inline constexpr Texts kOwnText = {{"task", "characters"}, {"topology", "decoder"},
                                   {"text", kRhyme},       {"length", "32"},
                                   {"steps", "300"},       {"learning_rate", "0.002"}};
inline constexpr Texts kModularAddition = {{"task", "modular_addition"},
                                           {"symbols", "23"},
                                           {"d_model", "128"},
                                           {"batch", "32"},
                                           {"steps", "1500"},
                                           {"learning_rate", "0.001"},
                                           {"record_every", "50"}};

}  // namespace race

inline constexpr Preset kRacePresets[] = {{"headline", race::kHeadline},
                                          {"dose_response", race::kDoseResponse},
                                          {"counter_example", race::kCounterExample},
                                          {"inverse_hurts", race::kInverseHurts},
                                          {"initialization", race::kInitialization},
                                          {"dates", race::kDates},
                                          {"own_text", race::kOwnText},
                                          {"modular_addition", race::kModularAddition}};

}  // namespace sqrtdk
