#pragma once
// Rows of a table by index.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out[.., d] = table[ids[..]]; table: [vocab, d]. Throws ShapeError, and ValueError for an id that is no
/// row.
void embedding_forward(ConstView table, IndexView ids, View out);

/// dtable[ids[i]] += dout[i], in the order of i.
void embedding_backward(IndexView ids, ConstView dout, View dtable);

}  // namespace sqrtdk
