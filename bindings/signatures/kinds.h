#pragma once
// What kinds of arguments and answers C++ types are, for signatures. No module holds this.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention_arguments.h"
#include "choices.h"

namespace sqrtdk::border {

struct Signature {
  std::vector<std::string> kinds;
  std::string answer;
};

template <class T>
struct KindOf {
  static std::string name() {
    if constexpr (std::is_base_of_v<Object, T>) return "handle";
    if constexpr (std::is_same_v<T, bool>) return "flag";
    if constexpr (std::is_same_v<T, uint64_t>) return "bits64";
    if constexpr (std::is_arithmetic_v<T>) return "number";
    std::string found;
    if constexpr (std::is_enum_v<T>) {
      each_choice([&]<class Enum>(Enum, const char* name) {
        if constexpr (std::is_same_v<Enum, T>) found = name;
      });
    }
    return found;
  }
};
template <class T>
struct KindOf<BasicView<T>> : KindOf<BasicView<const T>> {};
template <>
struct KindOf<ConstView> {
  static std::string name() { return "f32"; }
};
template <>
struct KindOf<IndexView> {
  static std::string name() { return "i32"; }
};
template <>
struct KindOf<MaskView> {
  static std::string name() { return "u8"; }
};
template <>
struct KindOf<std::string> {
  static std::string name() { return "text"; }
};
template <>
struct KindOf<GivenText> : KindOf<std::string> {};
template <>
struct KindOf<std::string_view> {
  static std::string name() { return "bytes"; }
};
template <>
struct KindOf<std::span<const uint8_t>> : KindOf<std::string_view> {};
template <>
struct KindOf<std::vector<uint8_t>> : KindOf<std::string_view> {};
template <>
struct KindOf<std::vector<double>> {
  static std::string name() { return "numbers"; }
};
template <>
struct KindOf<GivenScale> {
  static std::string name() { return "scale"; }
};
template <>
struct KindOf<AttentionArguments> {
  static std::string name() { return "attention"; }
};
template <>
struct KindOf<Arguments> {  // as many as the operator reads
  static std::string name() { return "rest"; }
};
template <>
struct KindOf<void> {
  static std::string name() { return "void"; }
};
template <class T>
struct KindOf<std::optional<T>> : KindOf<T> {};
template <class T>
struct KindOf<std::unique_ptr<T>> : KindOf<T> {};

template <class Body>
struct SignatureOf;
template <class Result, class... Taken>
struct SignatureOf<Result (*)(Taken...)> {
  static Signature get() { return {{KindOf<std::remove_cvref_t<Taken>>::name()...}, KindOf<Result>::name()}; }
};

template <class Body>
Signature signature_of() {
  return SignatureOf<Body>::get();
}

}  // namespace sqrtdk::border
