// Mutants that compute the same, so that no test of results can catch them: of each source, [what it has once, what the
// mutant has there, reason]. scripts/mutate.mjs tries them all the same, does not count them, and fails where a test catches one.
const tail = "what the vectors leave, the loop behind them computes with the same bits";
const slower = "the other way has the same bits and is slower";
const longer = "an array that is longer than what is used of it";
const least = "a row counts as one at least, either way";
const empty = "where nothing is left, nothing is done";
const converged = "a bisection that has ended long before";
const notFirst = "attention's scale is never the first parameter";
const letter = "no date has a Z";
const bound = "at the bound both ways are the same";

export const harmless = {
  "src/kernels/attention/additive_attention.cpp": [
    ["q.shape.rank() < 2 ? 0", "q.shape.rank() < 2 ? 1", least],
    ["k.shape.rank() < 2 ? 0", "k.shape.rank() < 2 ? 1", least],
  ],
  "src/kernels/attention/attention.cpp": [
    ["i + 4 <= n; i += 4) store(x + i, cs", "i + 5 <= n; i += 4) store(x + i, cs", tail],
    ["i + 4 <= n; i += 4) store(x + i, cs", "i + 4 < n; i += 4) store(x + i, cs", tail],
    [
      "key < mask.end(query); ++key) {\n        if (!mask.unmasked(query, key)) continue;\n        const float capped",
      "key <= mask.end(query); ++key) {\n        if (!mask.unmasked(query, key)) continue;\n        const float capped",
      "what is beyond a row's end is masked",
    ],
  ],
  "src/kernels/attention/masked_products.cpp": [
    ["end(whole) < start + kSumBlock", "end(whole) <= start + kSumBlock", slower],
    ["i > 0 && numbers[i]", "i > 1 && numbers[i]", slower],
    ["numbers[i] > 0 ?", "numbers[i] > 1 ?", slower],
    ["start < rows; start += kTile", "start <= rows; start += kTile", empty],
    ["mask.end(0) == mask.end(n_q - 1)", "mask.end(0) != mask.end(n_q - 1)", slower],
  ],
  "src/kernels/attention/tiled_attention_row.cpp": [
    ["c + 8 <= columns", "c + 9 <= columns", slower],
    ["c + 8 <= columns", "c + 8 < columns", slower],
    [
      "for (; c + 8 <= columns; c += 8) value_columns<2>(weights + key, rows + c, d, keys, sums + c);",
      ";",
      slower,
    ],
    [
      "f32x4 lanes[4];\n  for (f32x4& lane : lanes) lane = splat(largest)",
      "f32x4 lanes[5];\n  for (f32x4& lane : lanes) lane = splat(largest)",
      longer,
    ],
    ["    f32x4 sums[2];", "    f32x4 sums[3];", "nothing takes the third sum"],
    ["c + 4 <= call.d_v", "c + 4 < call.d_v", tail],
  ],
  "src/kernels/half_precision.cpp": [
    ["fill_n(tile, kTileK * kTileN", "fill_n(tile, kTileK / kTileN", "columns that are not taken"],
  ],
  "src/kernels/log_softmax.cpp": [
    ["v < 4 && 4 * v < count", "v <= 4 && 4 * v < count", bound],
    ["v < 4 && 4 * v < count", "v < 4 && 4 * v <= count", empty],
  ],
  "src/kernels/product/column_sums.cpp": [
    [
      "(n + kTogether - 1) / kTogether",
      "(n + kTogether - 1) * kTogether",
      "groups beyond the last have no columns",
    ],
    [
      "(n + kTogether - 1) / kTogether",
      "(n + kTogether + 1) / kTogether",
      "groups beyond the last have no columns",
    ],
  ],
  "src/kernels/product/packing.cpp": [["j < whole; j += kTogether", "j <= whole; j += kTogether", empty]],
  "src/kernels/rotary.cpp": [["x.shape.size() > 0", "x.shape.size() > 1", "the size is even"]],
  "src/kernels/product/matmul.cpp": [
    ["kMostColumns = 4 * kTileColumns", "kMostColumns = 5 * kTileColumns", longer],
    ["if (n > 0) in_place", "if (n >= 0) in_place", slower],
    ["kRowStep = kDepth + 16", "kRowStep = kDepth + 17", slower],
  ],
  "src/kernels/rearrange.cpp": [
    ["Shape::kMaxRank + 1)", "Shape::kMaxRank + 2)", "more than a rank can be, either way"],
  ],
  "src/kernels/softmax.cpp": [["for (; n >= 4; x += 4", "for (; n > 4; x += 4", tail]],
  "src/lab/chance.cpp": [
    ["int i = 0; i < 60", "int i = 1; i < 60", converged],
    ["int i = 0; i < 60", "int i = 0; i <= 60", converged],
    ["int i = 0; i < 60", "int i = 0; i < 61", converged],
  ],
  "src/lab/score_moments.cpp": [["sum > 0 ? sum : 0", "sum >= 0 ? sum : 0", bound]],
  "src/layers/multi_head_attention.cpp": [
    ["options.scale = scale_ >= 0", "options.scale = scale_ >= 1", notFirst],
  ],
  "src/training/date_task.cpp": [
    ["c <= 'Z'", "c < 'Z'", letter],
    ["c <= 'z'", "c < 'z'", letter],
  ],
  "src/training/gradients.cpp": [
    ["factor < 1", "factor <= 1", bound],
    ["j + 4 <= x.size()", "j + 4 < x.size()", tail],
  ],
  "src/training/records.cpp": [["layers + 7", "layers + 8", "a layer's number has a digit"]],
  "src/training/task_model.cpp": [
    ["n * n_answer), -1);\n  if (", "n * n_answer), -2);\n  if (", "an answer is written before it is read"],
  ],
  "src/training/text_task.cpp": [["end - first > 1", "end - first >= 1", slower]],
};
