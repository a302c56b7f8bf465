#pragma once
// The parameters of training_race. Those that no racer_of or seed stands for have the names and the texts of
// a trainer's config.
#include "lab/common_params.h"
#include "training/config_fields.h"
#include "training/tasks.h"

namespace sqrtdk {

namespace race {

inline constexpr const char* kScales[] = {"learned", "cosine"};
inline constexpr Condition kIfCharacters[] = {{"task", "characters"}};
inline constexpr const char* kFalseTrue[] = {"false", "true"};

}  // namespace race

inline constexpr Param kRaceParams[] = {
    choice_param("task", "sort", kTaskNames),
    {.name = "scale",
     .type = ParamType::kScaleList,
     .default_value = "none,1/sqrt(d),1/d",
     .max_count = 6,
     .choices = race::kScales},
    {.name = "n_heads",
     .type = ParamType::kIntList,
     .default_value = "1",
     .min = 1,
     .max = 64,
     .max_count = 4},
    int_param("d_model", "64", 2, 512),
    choice_param("init", "xavier_uniform", Choices<InitScheme>::kNames),
    real_param("learning_rate", "0.003", 0, 1),
    int_param("steps", "240", 1, 100000),
    {.name = "seeds",
     .type = ParamType::kIntList,
     .default_value = "0,1,2",
     .min = 0,
     .max = 1e9,
     .max_count = 8},
    in_group("task", int_param("length", "6", 1, 256)),
    in_group("task", int_param("symbols", "8", 2, 256)),
    in_group(
        "task",
        shown_when(race::kIfCharacters,
                   {.name = "text", .type = ParamType::kText, .default_value = "", .max_count = 1 << 20})),
    in_group("task", int_param("batch", "8", 1, 512)),
    in_group("model", choice_param("topology", "encoder", Choices<Topology>::kNames)),
    in_group("model", int_param("n_layers", "2", 1, 8)),
    in_group("model", int_param("d_head", "0", 0, 512)),
    in_group("model", int_param("d_ff", "0", 0, 2048)),
    in_group("model", choice_param("positions", "learned", Choices<Positions>::kNames)),
    in_group("model", choice_param("norm", "layer", Choices<NormKind>::kNames)),
    in_group("model", choice_param("norm_first", "true", race::kFalseTrue)),
    in_group("model", choice_param("qk_norm", "false", race::kFalseTrue)),
    in_group("model", real_param("softcap", "0", 0, 1000)),
    in_group("model", choice_param("feed_forward", "relu", Choices<FeedForwardKind>::kNames)),
    in_group("model", choice_param("tied", "false", race::kFalseTrue)),
    in_group("model", choice_param("tied_kv", "false", race::kFalseTrue)),
    in_group("model", real_param("dropout", "0", 0, 0.9)),
    in_group("start", real_param("init_std", "0.02", 0, 10)),
    in_group("start", choice_param("init_equal_qk", "false", race::kFalseTrue)),
    in_group("optimizer", choice_param("optimizer", "adam", Choices<OptimizerKind>::kNames)),
    in_group("optimizer", real_param("momentum", "0", 0, 1)),
    in_group("optimizer", real_param("weight_decay", "0", 0, 1)),
    in_group("optimizer", int_param("warmup_steps", "0", 0, 100000)),
    in_group("optimizer", int_param("total_steps", "0", 0, 100000)),
    in_group("optimizer", real_param("max_gradient_norm", "0", 0, 1000)),
    in_group("optimizer", real_param("label_smoothing", "0", 0, 1)),
    in_group("records", int_param("record_every", "20", 1, 10000)),
    in_group("records", int_param("examples", "128", 1, 4096))};

}  // namespace sqrtdk
