#pragma once
// The parameters of a model in one block, and their gradients in another: an optimizer's step, a checkpoint
// and a hash are one loop each.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/product/weights.h"

namespace sqrtdk {

/// What a parameter is to its layer; how it begins follows from it.
enum class ParameterRole {
  kOther,
  kWeight,          // of a linear layer, [n_out, n_in]
  kBias,            // of a linear layer, [n_out]
  kEmbedding,       // a row for each token or position
  kProjection,      // w_q, w_k, w_v of attention, together or each
  kProjectionBias,  // of attention's projections, the last one too
  kScale,           // of attention, learned
  kNormWeight,
  kNormBias,
};

struct Parameter {
  std::string name;  // as in PyTorch's state_dict: "layers.0.self_attn.in_proj_weight"
  Shape shape;
  int64_t offset;  // of its first element in the block
  ParameterRole role;
  int64_t n_in;  // of a kBias, the columns of its weight; else 0
};

/// Rows of a parameter, from `first` on, as q, k and v share one in_proj.
struct Rows {
  int parameter = -1;
  int64_t first = 0;
};

/// Where the parameters of an attention lie.
struct AttentionParameters {
  Rows w_q, w_k;
  int64_t n_q;     // rows of w_q
  int scale = -1;  // where it is learned
};

class Parameters {
 public:
  /// Registers a parameter and returns its index. Only before allocate(); throws ValueError for a name that
  /// is there.
  int add(const std::string& name, const Shape& shape, ParameterRole role = ParameterRole::kOther,
          int64_t n_in = 0);
  /// A second name for a parameter that is there (tied weights). Throws ValueError for a name that is there.
  void add_alias(const std::string& name, int index);
  /// Says that rows first .. first + n of a parameter [.., k] are a layer's weights: pack() rearranges them.
  /// Returns the index of this matrix. Throws ValueError for a parameter that is none.
  int add_matrix(int parameter, int64_t first, int64_t n);
  /// Says what an attention's parameters are, which are there.
  void add_attention(const AttentionParameters& attention) { attentions_.push_back(attention); }
  /// Makes room for values and gradients, all 0. Only once; throws OutOfMemory.
  void allocate();

  std::span<const Parameter> list() const { return list_; }
  std::span<const AttentionParameters> attentions() const { return attentions_; }
  std::span<const std::pair<std::string, int>> aliases() const { return aliases_; }
  int find(const std::string& name) const;  // aliases too; -1 where there is none
  int64_t size() const { return size_; }    // floats of all
  /// Throws ValueError for an index that is none.
  const Shape& shape(int index) const { return at(index).shape; }

  // After allocate(); throw ValueError for an index that is none. What may change values ends packing.
  View value(int index);
  ConstView value(int index) const;
  View gradient(int index);  // layers add to it
  std::span<float> values();
  std::span<const float> values() const;
  std::span<float> gradients();
  std::span<const float> gradients() const;
  void clear_gradients();

  /// Keeps the matrices a second time, rearranged for products: inference gets faster, most of all with few
  /// rows. As kF32, which is the default, no bit of it changes; in fewer bits less is read for each token,
  /// and layers compute with the rounded matrices (see WeightFormat). It lasts until somebody asks for values
  /// that can be written or for gradients; a view from before must not be written through. Does nothing where
  /// all is packed so. Throws OutOfMemory, and ValueError before allocate().
  void pack(WeightFormat format);
  void pack() { pack(format_); }  // in the format of the last call that named one
  WeightFormat format() const { return format_; }
  /// Null unless packed.
  const PackedWeights* packed(int matrix) const;

 private:
  const Parameter& at(int index) const;
  void check_new(const std::string& name) const;
  void check_allocated(bool expected) const;
  void end_packing();

  struct Matrix {
    int parameter;
    int64_t first, n;
  };

  std::vector<Parameter> list_;
  std::vector<std::pair<std::string, int>> aliases_;
  std::vector<AttentionParameters> attentions_;
  int64_t size_ = 0;
  Storage values_, gradients_;
  std::vector<Matrix> matrices_;
  WeightFormat format_ = WeightFormat::kF32;
  std::vector<PackedWeights> packed_;  // of each matrix, or empty
  Storage packed_storage_;
};

}  // namespace sqrtdk
