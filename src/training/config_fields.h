#pragma once
// The fields of a trainer's config. A model's vocab, context, n_out and causal are not among them: the task
// and the topology set them.
#include "layers/config_fields.h"
#include "training/trainer.h"

namespace sqrtdk {

template <>
struct Choices<Topology> {
  static constexpr const char* kNames[] = {"encoder", "decoder", "encoder_decoder"};
};
template <>
struct Choices<Positions> {
  static constexpr const char* kNames[] = {"none", "sinusoidal", "learned", "rotary"};
};
template <>
struct Choices<OptimizerKind> {
  static constexpr const char* kNames[] = {"sgd", "adam", "adamw", "adagrad"};
};
template <>
struct Choices<NonFinite> {
  static constexpr const char* kNames[] = {"throw", "skip"};
};

template <class Visitor>
void visit_fields(TaskConfig& task, Visitor& field) {
  field("task", task.name);
  field("length", task.length);
  field("symbols", task.symbols);
  field("text", task.text);
}

template <class Visitor>
void visit_fields(LanguageModelConfig& model, Visitor& field) {
  field("n_layers", model.n_layers);
  field("positions", model.positions);
  field("tied", model.tied);
  field("head_bias", model.head_bias);
  field("final_norm", model.final_norm);
  field("scale_embedding", model.scale_embedding);
  visit_fields(model.layer, field);
}

template <class Visitor>
void visit_fields(OptimizerConfig& optimizer, Visitor& field) {
  field("optimizer", optimizer.kind);
  field("learning_rate", optimizer.learning_rate);
  field("weight_decay", optimizer.weight_decay);
  field("momentum", optimizer.momentum);
  field("dampening", optimizer.dampening);
  field("nesterov", optimizer.nesterov);
  field("beta1", optimizer.beta1);
  field("beta2", optimizer.beta2);
  field("epsilon", optimizer.epsilon);
  field("rate_decay", optimizer.rate_decay);
  field("non_finite", optimizer.non_finite);
}

template <class Visitor>
void visit_fields(Schedule& schedule, Visitor& field) {
  field("warmup_steps", schedule.warmup_steps);
  field("total_steps", schedule.total_steps);
  field("final_fraction", schedule.final_fraction);
}

template <class Visitor>
void visit_fields(TrainerConfig& config, Visitor& field) {
  visit_fields(config.task, field);
  field("topology", config.topology);
  visit_fields(config.model, field);
  visit_fields(config.initialization, field);
  visit_fields(config.optimizer, field);
  visit_fields(config.schedule, field);
  field("max_gradient_norm", config.max_gradient_norm);
  field("label_smoothing", config.label_smoothing);
  field("batch", config.batch);
  field("seed", config.seed);
}

}  // namespace sqrtdk
