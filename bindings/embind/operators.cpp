#include "operators.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "base/errors.h"

namespace sqrtdk::border {
namespace {

char* error_text = nullptr;
char spare_text[2048];  // so that running out of memory can be told

/// The fields one after the other, separated by '\0', which becomes a blank where it comes from a file.
void set_error(const char* type, const char* code, std::string_view op, std::string_view argument,
               std::string_view expected, std::string_view got, std::string_view message) {
  const std::string_view fields[] = {type, code, op, argument, expected, got, message};
  size_t size = 0;
  for (const std::string_view field : fields) size += field.size() + 1;
  std::free(error_text);
  error_text = static_cast<char*>(std::malloc(size));
  const size_t longest = error_text ? size : sizeof spare_text / std::size(fields) - 1;
  char* const begin = error_text ? error_text : spare_text;
  char* end = begin;
  for (const std::string_view field : fields) {
    end = std::replace_copy(field.data(), field.data() + std::min(field.size(), longest), end, '\0', ' ');
    *end++ = '\0';
  }
  answer = {begin, static_cast<size_t>(end - 1 - begin)};
}

}  // namespace

void begin_answer() {
  running = "operator";
  answer = {};
  if (!answer_bytes.empty()) std::vector<uint8_t>().swap(answer_bytes);
}

int answer_exception() noexcept {
  try {
    throw;
  } catch (const OutOfMemory& e) {
    const OutOfMemory named(e.code, running, e.argument, e.expected, e.got);
    set_error(e.type, error_code_name(e.code), running, e.argument, e.expected, e.got, named.what());
  } catch (const Error& e) {
    set_error(e.type, error_code_name(e.code), e.op, e.argument, e.expected, e.got, e.what());
  } catch (const std::bad_alloc&) {
    set_error("OutOfMemory", error_code_name(ErrorCode::kOutOfMemory), running, "", "", "", "out of memory");
  } catch (const std::exception& e) {
    set_error("SqrtdkError", "internal", running, "", "", "", e.what());
  }
  return 1;
}

}  // namespace sqrtdk::border
