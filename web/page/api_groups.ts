// In which order the reference tells the package's names. Each part of web/content/*/docs/api.md introduces one group; a name of
// the package in no group, or in two, stops the build.
const groups = {
  loading: `load Load LoadOptions WorkerLoadOptions ModuleSource WorkerSource WorkerLike
    Sqrtdk SqrtdkWorker ExperimentsWorker`,
  tensors: `Tensor TensorView TensorLike ShapedData Values Ids Mask OutOption Owned Handle RandomNumbers RandomOptions`,
  attention: `AttentionKernels AttentionOptions AttentionResult TiledAttentionResult AttentionGradients Causal
    Scale ScaleName OtherAttentionKernels MaskOption AdditiveParameters AdditiveGradients AdditiveForm`,
  operators: `Kernels MatrixKernels MatmulOptions PackedMatrix RotaryOptions RotaryPairs Format
    RowKernels NormOptions LayerNormOptions Normalized NormGradients Activation
    CrossEntropyOptions CrossEntropy Reduction DropoutOptions`,
  layers: `Layers Layer ForwardOptions LayerAttentionOptions Linear Embedding
    SequenceLayer EncoderForwardOptions MultiHeadAttention MultiHeadAttentionResult Decoder DecoderForwardOptions
    Transformer TransformerForwardOptions LoadStateOptions KeyDifference SaveOptions Dtype
    LayerConfig Init InitScheme InitializationFields LinearConfig LinearFields EmbeddingConfig EmbeddingFields
    NormConfig NormFields FeedForwardConfig FeedForwardFields FeedForwardActivation
    MultiHeadAttentionConfig MultiHeadAttentionFields HeadsFields TransformerLayerConfig TransformerLayerFields
    StackConfig StackFields TransformerConfig TransformerFields LanguageModelConfig LanguageModelFields`,
  models: `LanguageModel ModelConfig ScaleOptions GenerateOptions KeyValueCache Tokenizer
    Checkpoints SafeTensors Files NumberArray Bytes`,
  training: `Trainers Trainer TrainerFacts TrainerConfig NumberText FlagText TrainerField StepResult RunStepsOptions
    HowFar RecordOptions Evaluation Answer AttentionMap ScaleOption WorkerTrainers WorkerTrainer BesideOption RaceRows`,
  experiments: `Experiments Experiment WorkerExperiment RunParams RunParam RunOptions RunResult Labels Scalar
    Figure FigureKind AnyFigure SeriesFigure Series Role HeatMapFigure Grid
    Description Param ParamType AnyParam NumberParam IntListParam ChoiceParam ScaleListParam SeedParam
    MatrixParam TextParam FileParam Condition Preset`,
  errors: `SqrtdkError ErrorFields ErrorCode ValueError ShapeError FormatError OutOfMemory Cancelled
    StaleViewError WorkerError LoadError LoadStep`,
};

export const apiGroups: readonly (readonly string[])[] = Object.values(groups).map((names) =>
  names.split(/\s+/),
);
