#pragma once
// The operators of the border: functions of C++ types. What one takes is read from JavaScript's arguments, in
// the order in which it takes them, and what it returns is answered. Its row in an operators' table names the
// arguments in that order, with `?` where none may be given; their kinds are those of the types. Of names and
// kinds scripts/update_signatures.mjs makes signatures.ts, by which JavaScript calls; the modules do not hold
// them.
#include <span>

#include "attention_arguments.h"
#include "objects.h"
#ifdef SQRTDK_SIGNATURES
#include "kinds.h"
#endif

namespace sqrtdk::border {

struct Operator {
  const char* name;
#ifdef SQRTDK_SIGNATURES
  const char* names;
  Signature (*signature)();
#else
  int (*call)(Pointer arguments);  // 0, or 1 where it failed: see convert.h
#endif
};

std::span<const Operator> attention_operators();
std::span<const Operator> checkpoint_operators();
std::span<const Operator> experiment_operators();
std::span<const Operator> file_operators();
std::span<const Operator> layer_operators();
std::span<const Operator> matrix_operators();
std::span<const Operator> model_operators();
std::span<const Operator> object_operators();
std::span<const Operator> race_operators();
std::span<const Operator> row_operators();
std::span<const Operator> safetensors_operators();
std::span<const Operator> tensor_operators();
std::span<const Operator> trainer_operators();

/// The tables of this module: those that its build names (scripts/cmake/wasm.cmake), or all.
#ifndef SQRTDK_TABLES
#define SQRTDK_TABLES                                                                          \
  experiment_operators, file_operators, object_operators, trainer_operators, race_operators,   \
      attention_operators, matrix_operators, row_operators, tensor_operators, layer_operators, \
      safetensors_operators, checkpoint_operators, model_operators
#endif
constexpr std::span<const Operator> (*kTables[])() = {SQRTDK_TABLES};

template <class T>
constexpr bool kIsView = false;
template <class T>
constexpr bool kIsView<BasicView<T>> = true;

template <class Result, class... Taken, class Use>
Result with_taken(Result (*body)(Taken...), Arguments& given, Use use);

/// An argument of the type T.
template <class T>
T read(Arguments& given) {
  using Value = std::remove_reference_t<T>;
  if constexpr (std::is_same_v<Value, Arguments>) {
    return given;  // the function reads what is left
  } else if constexpr (std::is_base_of_v<Object, Value>) {
    return object<Value>(given);
  } else if constexpr (requires { &T::of; }) {
    return with_taken(&T::of, given, [](auto&&... values) { return T::of(values...); });
  } else if constexpr (std::is_constructible_v<T, Arguments&>) {
    return T(given);
  } else if constexpr (kIsView<T>) {
    return given.view<std::remove_pointer_t<decltype(T::data)>>();
  } else if constexpr (std::is_enum_v<T>) {
    return given.choice<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return given.flag();
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return given.bits64();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(given.number());
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return given.bytes();
  } else if constexpr (std::is_same_v<T, std::span<const uint8_t>>) {
    const std::string_view bytes = given.bytes();
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  } else if constexpr (std::is_same_v<T, GivenText>) {
    return given.text();
  } else if (given.none()) {
    return {};
  } else {
    return read<typename T::value_type>(given);
  }
}

/// What a function takes, as it is read: objects by reference, all else by value.
template <class T>
using Read =
    std::conditional_t<std::is_base_of_v<Object, std::remove_reference_t<T>> || std::is_same_v<T, Arguments&>,
                       T, std::remove_cvref_t<T>>;

/// Braces are evaluated from left to right, a function's arguments in any order.
template <class Result>
struct InOrder {
  template <class Use, class... Values>
  InOrder(Use use, Values&&... values) : result(use(values...)) {}
  Result result;
};
template <>
struct InOrder<void> {
  template <class Use, class... Values>
  InOrder(Use use, Values&&... values) {
    use(values...);
  }
};

/// What `use` makes of what `body` takes.
template <class Result, class... Taken, class Use>
Result with_taken(Result (*)(Taken...), Arguments& given, Use use) {
  if constexpr (std::is_void_v<Result>) {
    InOrder<void>{use, read<Read<Taken>>(given)...};
  } else {
    return InOrder<Result>{use, read<Read<Taken>>(given)...}.result;
  }
}

void begin_answer();
/// The exception in flight becomes the answer. Returns 1.
int answer_exception() noexcept;

/// Runs an operator; returns 0, or 1 where it threw and what it threw is the answer. A template, because in
/// WebKit what is thrown through a call by a pointer is not caught in the function that calls.
template <class Body>
int answered(Pointer arguments, Body body) {
  try {
    begin_answer();
    Arguments given(arguments);
    body(given);
    return 0;
  } catch (...) {
    return answer_exception();
  }
}

/// A raw function from one that takes the arguments themselves; it has to read all.
template <auto body>
int call(Pointer pointer) {
  return answered(pointer, [](Arguments& given) {
    const auto run = [&](auto&... values) {
      if constexpr (!(std::is_same_v<decltype(values), Arguments&> || ...)) given.end();
      return body(values...);
    };
    if constexpr (requires { set_answer(with_taken(body, given, run)); }) {
      set_answer(with_taken(body, given, run));
    } else {
      with_taken(body, given, run);
    }
  });
}

template <class Result, class... Taken>
consteval size_t arity(Result (*)(Taken...)) {
  return sizeof...(Taken);
}

void an_operator_has_a_name_for_each_of_its_arguments();  // no constant: does not compile where it is called

/// The row of a function in its table.
template <auto body>
consteval Operator op(const char* name, const char* names) {
  size_t n = *names ? 1 : 0;
  for (const char* at = names; *at; ++at) n += *at == ' ';
  if (n != arity(body)) an_operator_has_a_name_for_each_of_its_arguments();
#ifdef SQRTDK_SIGNATURES
  return {name, names, &signature_of<std::remove_const_t<decltype(body)>>};
#else
  return {name, &call<body>};
#endif
}

}  // namespace sqrtdk::border
