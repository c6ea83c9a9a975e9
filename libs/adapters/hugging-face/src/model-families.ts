/** What is known of models by name, where their repositories do not say it: most ONNX exports lack the files of the original model. */
export type Family = Readonly<{
  pooling: 'mean' | 'cls' | 'last';
  queryPrefix: string;
  passagePrefix: string;
  maxTokens?: number;
}>;

const plain = { queryPrefix: '', passagePrefix: '' };

/** The first pattern that matches the name without its owner decides. The texts are those of the authors' model cards. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: Family])[] = [
  [/^paraphrase-multilingual-MiniLM-L12-v2$/i, { pooling: 'mean', ...plain, maxTokens: 128 }],
  [/^paraphrase-multilingual-mpnet-base-v2$/i, { pooling: 'mean', ...plain, maxTokens: 128 }],
  [/^all-MiniLM-L(?:6|12)-v\d$/i, { pooling: 'mean', ...plain, maxTokens: 256 }],
  [/^all-mpnet-base-v\d$/i, { pooling: 'mean', ...plain, maxTokens: 384 }],
  [/^multi-qa-MiniLM-L6-cos-v1$/i, { pooling: 'mean', ...plain, maxTokens: 512 }],
  [
    /^multilingual-e5-large-instruct$/i,
    {
      pooling: 'mean',
      queryPrefix: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
      passagePrefix: '',
    },
  ],
  [/^(?:multilingual-)?e5-(?:small|base|large)(?:-v2)?$/i, { pooling: 'mean', queryPrefix: 'query: ', passagePrefix: 'passage: ' }],
  [/^bge-m3$/i, { pooling: 'cls', ...plain }],
  [
    /^bge-(?:small|base|large)-en-v1\.5$/i,
    { pooling: 'cls', queryPrefix: 'Represent this sentence for searching relevant passages: ', passagePrefix: '' },
  ],
  [/^bge-(?:small|base|large)-zh-v1\.5$/i, { pooling: 'cls', queryPrefix: '为这个句子生成表示以用于检索相关文章：', passagePrefix: '' }],
  [/^gte-(?:small|base|large)$/i, { pooling: 'mean', ...plain }],
  [/^gte-multilingual-base$/i, { pooling: 'cls', ...plain }],
  [/^snowflake-arctic-embed-[ml]-v2\.0$/i, { pooling: 'cls', queryPrefix: 'query: ', passagePrefix: '' }],
];

/** @param repository `owner/name`: exports of other owners keep the name, some with `-onnx` */
export const familyOf = (repository: string): Family | undefined => {
  const name = repository.slice(repository.lastIndexOf('/') + 1).replace(/-onnx$/i, '');
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
};
