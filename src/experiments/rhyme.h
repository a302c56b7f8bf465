#pragma once

namespace sqrtdk::experiments {

/// A nursery rhyme that repeats itself, which a small model learns quickly.
inline constexpr const char* kRhyme =
    "This is the house that Jack built.\n"
    "This is the malt that lay in the house that Jack built.\n"
    "This is the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that "
    "Jack built.\n"
    "This is the cow with the crumpled horn that tossed the dog that worried the cat that killed the rat "
    "that ate the malt that lay in the house that Jack built.\n";

}  // namespace sqrtdk::experiments
