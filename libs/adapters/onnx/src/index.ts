export { describeOnnxModel, onnxTextWindow, openOnnxEmbeddings, type OnnxEmbeddingsOptions } from './onnx-embeddings.ts';
export { openOnnxReranker, type OnnxRerankerOptions } from './onnx-reranker.ts';
export { DEFAULT_MODEL_FOLDER } from './model-folder.ts';
export type { ModelDescription } from './model-description.ts';
