#include "lab/result.h"

#include "base/decimal.h"
#include "lab/statistics.h"

namespace sqrtdk {

Label LabelOf::label() const { return {name_, text_.data() ? std::string(text_) : to_text(number_)}; }

Labels::Labels(std::initializer_list<LabelOf> labels) {
  reserve(labels.size());
  for (const LabelOf& each : labels) add(each);
}

Scalar& Result::add(Scalar scalar) { return scalars.emplace_back(std::move(scalar)); }
Figure& Result::add(Figure figure) { return figures.emplace_back(std::move(figure)); }

Scalar& Result::add(Key name, const Labels& at, Estimate estimate, double expected) {
  return scalars.emplace_back(Scalar{name, at, estimate.value, estimate.se, expected});
}

Scalar& Result::add(Key name, const Labels& at, std::vector<double> sample) {
  return add(summary(name, at, std::move(sample)));
}

}  // namespace sqrtdk
