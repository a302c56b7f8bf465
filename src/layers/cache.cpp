#include "layers/cache.h"

#include <functional>
#include <utility>

#include "base/errors.h"
#include "base/sort.h"
#include "base/text.h"

namespace sqrtdk {
namespace {

template <class Map>
std::vector<std::string> sorted_names(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : map) names.push_back(name.text());
  heap_sort(names);
  return names;
}

template <class Map>
const auto& entry_of(const Map& map, const CacheName& name) {
  const auto found = map.find(name);
  if (found != map.end()) return found->second;
  throw ValueError(ErrorCode::kUnknownName, "cache", "tensor", joined(sorted_names(map)), name.text());
}

}  // namespace

CacheName::CacheName(std::string text) : text_(std::move(text)), hash_(std::hash<std::string>()(text_)) {}

CacheName::CacheName(const char* text) : CacheName(std::string(text)) {}

View Cache::make(const CacheName& name, const Shape& shape) {
  const int64_t size = shape.size();
  auto entry = entries_.find(name);
  if (entry != entries_.end() && entry->second.storage.size() < size) {
    entries_.erase(entry);  // before the larger one is made: both at once may be too much
    entry = entries_.end();
  }
  if (entry == entries_.end()) entry = entries_.emplace(name, Entry{Storage(size), shape}).first;
  entry->second.shape = shape;
  return {entry->second.storage.data(), shape};
}

View Cache::at(const CacheName& name) const {
  const Entry& entry = entry_of(entries_, name);
  return {entry.storage.data(), entry.shape};
}

bool Cache::has(const CacheName& name) const { return entries_.count(name) != 0; }

std::vector<std::string> Cache::names() const { return sorted_names(entries_); }

void Cache::keep(const CacheName& name, ConstView view) { kept_[name] = view; }

ConstView Cache::kept(const CacheName& name) const { return entry_of(kept_, name); }

Arena& Cache::scratch(int64_t floats) {
  if (!scratch_ || scratch_size_ < floats) {
    scratch_.reset();
    scratch_.emplace(floats);
    scratch_size_ = floats;
  }
  scratch_->reset();
  return *scratch_;
}

}  // namespace sqrtdk
