// In which order the reference tells the package's names. Each part of web/content/*/docs/api.md introduces one group; a name of
// the package in no group, or in two, stops the build.
const groups = {
  loading: `load Load LoadOptions HereOptions WorkerLoadOptions WasmSource WorkerOption WorkerChoice ThreadsChoice WorkerLike
    Instance InWorkers WithOps WithLayers Sqrtdk SqrtdkWorker WithOpsWorker WithLayersWorker FullWorker MemoryUse
    CallOptions RemoteObject Remote RemoteMembers RemoteCall Call Primitive Received Sent SentAll Options Last LastKey
    IsOptions Opaque`,
  tensors: `Tensor TensorView TensorLike ShapedData Nested Values Ids Mask OutOption Owned Handle Random RandomOptions`,
  attention: `AttentionOps AttentionOptions AttentionResult TiledAttentionResult AttentionForward AttentionGradients Causal
    Scale Scales ScaleName OtherAttentionOps MaskOption AdditiveParameters AdditiveOptions AdditiveGradients
    AdditiveForm CosineOptions WeightsForward`,
  operators: `Ops TensorOps Place SliceOptions StepsOption ReduceOptions MatrixOps MatmulOptions PackedMatrix RotaryOptions RotaryPairs Format
    RowOps GainOption NormOptions LayerNormOptions Normalized NormForward NormGradients Activation
    CrossEntropyOptions CrossEntropy LossForward Reduction DropoutOptions`,
  layers: `Nn Bound Layer ForwardOptions LayerAttentionOptions Linear Embedding
    SequenceLayer EncoderForwardOptions LayerNorm RMSNorm FeedForward EncoderLayer TransformerEncoder
    MultiHeadAttention MultiHeadAttentionOptions MultiHeadAttentionResult
    Decoder DecoderForwardOptions DecoderLayer TransformerDecoder Transformer TransformerForwardOptions
    LoadStateOptions KeyDifference SaveOptions Dtype
    LayerConfig Init InitScheme InitializationFields LinearConfig LinearFields EmbeddingConfig EmbeddingFields
    NormConfig NormFields FeedForwardConfig FeedForwardFields FeedForwardActivation
    MultiHeadAttentionConfig MultiHeadAttentionFields HeadsFields TransformerLayerConfig TransformerLayerFields
    StackConfig StackFields TransformerConfig TransformerFields LanguageModelConfig LanguageModelFields`,
  models: `Models LanguageModel ModelConfig ScaleOptions PackOptions WeightFormat GenerateOptions KeyValueCache Tokenizer
    Formats Files SafeTensors Bytes`,
  training: `Train Trainer TrainerFacts TrainerConfig NumberText FlagText TrainerField StepResult RunStepsOptions
    HowFar RecordOptions Evaluation Answer AttentionMap ScaleOption WorkerTrain WorkerTrainer BesideOption RaceRows`,
  experiments: `Experiments ExperimentList Experiment WorkerExperiment ExperimentId ParamsOf ResultOf NamedResult RunParams RunParam TensorCopy RunOptions RunResult
    Labels Scalar Figure FigureKind AnyFigure SeriesFigure Series Role HeatMapFigure Grid
    Description Param ParamType AnyParam NumberParam IntListParam ChoiceParam ScaleListParam SeedParam
    MatrixParam TextParam FileParam Condition Preset ExperimentParams Matrix ExperimentNames`,
  errors: `SqrtdkError ErrorFields ErrorCode ValueError ShapeError FormatError OutOfMemoryError DisposedError
    StaleViewError WorkerError LoadError LoadStep LoadReason LoadFailure`,
};

export const apiGroups: readonly (readonly string[])[] = Object.values(groups).map((names) =>
  names.split(/\s+/),
);
