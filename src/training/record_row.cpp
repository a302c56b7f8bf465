#include "base/decimal.h"
#include "training/run.h"

namespace sqrtdk {

namespace {

std::vector<std::string> columns_of(const Parameters& parameters, const TaskModel& model) {
  std::vector<std::string> columns = {"step", "loss", "learning_rate", "gradient_norm"};
  for (const char* what : {"evaluation_loss", "token_accuracy", "sequence_accuracy"}) columns.push_back(what);
  for (const std::string& layer : layer_names(parameters)) columns.push_back("gradient_norm." + layer);
  const std::vector<const MultiHeadAttention*> attentions = model.attentions();
  for (const char* what : {"dscores_mean.", "dscores_median."}) {
    for (const MultiHeadAttention* attention : attentions) columns.push_back(what + attention->name());
  }
  for (const char* what : {"entropy.", "saturated."}) {
    for (const MultiHeadAttention* attention : attentions) {
      for (int64_t head = 0; head < model.config().layer.attention.n_heads; ++head) {
        columns.push_back(what + attention->name() + "." + to_text(head));
      }
    }
  }
  return columns;
}

}  // namespace

std::vector<std::string> record_columns(const Trainer& trainer) {
  return columns_of(trainer.parameters(), trainer.model());
}

std::vector<std::string> record_columns(const TrainerConfig& config) {
  Parameters parameters;
  const std::unique_ptr<Task> task = make_task(config.task);
  const TaskModel model(parameters, *task, config.topology, config.model);
  return columns_of(parameters, model);
}

std::vector<double> record_row(const Record& record) {
  const Evaluation& after = record.evaluation;
  std::vector<double> row = {static_cast<double>(record.step),
                             record.loss,
                             record.learning_rate,
                             record.gradient_norm,
                             after.loss,
                             after.token_accuracy,
                             after.sequence_accuracy};
  for (const GradientNorm& layer : record.layers) row.push_back(layer.norm);
  for (const ScoreGradients& attention : record.score_gradients) row.push_back(attention.mean);
  for (const ScoreGradients& attention : record.score_gradients) row.push_back(attention.median);
  for (const HeadRecord& head : record.heads) row.push_back(head.entropy);
  for (const HeadRecord& head : record.heads) row.push_back(head.saturated);
  return row;
}

}  // namespace sqrtdk
