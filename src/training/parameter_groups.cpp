// Which pieces of the block have factors of their own: small code, unlike the steps themselves.
#include "base/errors.h"
#include "base/sort.h"
#include "training/optimizer.h"

namespace sqrtdk {

void Optimizer::set_groups(std::vector<ParameterGroup> groups) {
  if (steps_ > 0) throw_out_of_range("optimizer", "steps", 0, 0, steps_);
  heap_sort(groups, [](const ParameterGroup& a, const ParameterGroup& b) {
    return a.parameter != b.parameter ? a.parameter < b.parameter : a.first_row < b.first_row;
  });
  pieces_.clear();
  auto group = groups.begin();
  const std::span<const Parameter> list = parameters_->list();
  for (int index = 0; index < static_cast<int>(list.size()); ++index) {
    const Parameter& parameter = list[static_cast<size_t>(index)];
    const int64_t size = parameter.shape.size();
    const int64_t n_rows = parameter.shape.rank() > 1 ? parameter.shape[0] : size;
    const int64_t n_cols = n_rows > 0 ? size / n_rows : 1;
    const auto add = [&](int64_t first, int64_t last, const StepFactors& factors) {
      if (last > first) {
        pieces_.push_back({parameter.offset + first * n_cols, (last - first) * n_cols, n_cols, factors});
      }
    };
    int64_t row = 0;
    for (; group != groups.end() && group->parameter == index; ++group) {
      if (group->first_row < row || group->n_rows < 1 || group->first_row > n_rows - group->n_rows) {
        throw_out_of_range("optimizer", "group", row, n_rows, group->first_row);
      }
      add(row, group->first_row, {});
      row = group->first_row + group->n_rows;
      add(group->first_row, row, group->factors);
    }
    add(row, n_rows, {});
  }
  if (group != groups.end()) {
    throw_out_of_range("optimizer", "parameter", 0, static_cast<int64_t>(list.size()) - 1, group->parameter);
  }
}

}  // namespace sqrtdk
