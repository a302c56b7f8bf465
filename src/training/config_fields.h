#pragma once
// The fields of a trainer's config. A model's vocab, context, n_out and causal are not among them: the task
// and the topology set them.
#include "models/config_fields.h"
#include "training/trainer.h"

namespace sqrtdk {

template <>
struct Choices<Topology> {
  static constexpr const char* kNames[] = {"encoder", "decoder", "encoder_decoder"};
};
template <>
struct Choices<OptimizerKind> {
  static constexpr const char* kNames[] = {"sgd", "adam", "adamw", "adagrad", "adafactor"};
};
template <>
struct Choices<NonFinite> {
  static constexpr const char* kNames[] = {"throw", "skip"};
};

template <class Visitor>
void visit_fields(TaskConfig& task, Visitor& field) {
  field("task", task.name, {"what is learned"});
  field("length", task.length,
        {"tokens to sort, copy or reverse, pairs to recall or characters to predict", {1, Task::kMaxLength}});
  field("symbols", task.symbols,
        {"the number of different tokens; the modulus of an addition", {2, Task::kMaxSymbols}});
  field("text", task.text, {"the text whose characters are predicted"});
}

template <class Visitor>
void visit_fields(OptimizerConfig& optimizer, Visitor& field) {
  field("optimizer", optimizer.kind,
        {"the formulas, which are torch.optim's; Adafactor's those of its paper"});
  field("learning_rate", optimizer.learning_rate, {"the schedule's peak", kNotNegative});
  field("weight_decay", optimizer.weight_decay,
        {"the factor of L2; AdamW and Adafactor decouple it", kNotNegative});
  field("momentum", optimizer.momentum, {"SGD's momentum", kNotNegative});
  field("dampening", optimizer.dampening, {"SGD's dampening of the momentum; with nesterov 0", kNotNegative});
  field("nesterov", optimizer.nesterov, {"SGD has Nesterov's momentum"});
  field("beta1", optimizer.beta1, {"Adam's and AdamW's decay of the mean; less than 1", kShare});
  field("beta2", optimizer.beta2, {"Adam's and AdamW's decay of the mean square; less than 1", kShare});
  field("epsilon", optimizer.epsilon, {"Adam, AdamW and Adagrad add it to the divisor", kNotNegative});
  field("rate_decay", optimizer.rate_decay,
        {"Adagrad divides the learning rate by 1 + rate_decay · t", kNotNegative});
  field("non_finite", optimizer.non_finite, {"a gradient that is not finite throws, or its step is skipped"});
}

template <class Visitor>
void visit_fields(Schedule& schedule, Visitor& field) {
  field("warmup_steps", schedule.warmup_steps,
        {"the steps of the linear rise to the learning rate", kNotNegative});
  field("total_steps", schedule.total_steps,
        {"the step at which the cosine decay ends; 0: no decay", kNotNegative});
  field("final_fraction", schedule.final_fraction,
        {"the share of the learning rate that the decay leaves", kShare});
}

template <class Visitor>
void visit_fields(TrainerConfig& config, Visitor& field) {
  visit_fields(config.task, field);
  field("topology", config.topology, {"the halves of the Transformer that there are"});
  visit_stack(config.model, field);
  visit_fields(config.model.layer, field,
               {.activation = "feed_forward", .epsilon = "norm_epsilon", .d_ff = "2 d_model"});
  visit_fields(config.initialization, field);
  visit_fields(config.optimizer, field);
  visit_fields(config.schedule, field);
  field("max_gradient_norm", config.max_gradient_norm,
        {"the norm to which gradients are clipped; 0: they are not", kNotNegative});
  field("label_smoothing", config.label_smoothing, {"the share of the target that all tokens get", kShare});
  field("batch", config.batch, {"the number of examples of a step", {1, Trainer::kMaxBatch}});
  field("seed", config.seed, {"the seed of examples, initial values and dropout"});
}

}  // namespace sqrtdk
