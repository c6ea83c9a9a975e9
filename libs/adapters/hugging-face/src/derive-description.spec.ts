import { deriveDescription, type Evidence, type Overrides } from './derive-description.ts';

const CONFIGS = {
  'config.json': { model_type: 'bert', hidden_size: 384, max_position_embeddings: 512 },
  'modules.json': [
    { type: 'sentence_transformers.models.Transformer' },
    { type: 'sentence_transformers.models.Pooling', path: '1_Pooling' },
  ],
  '1_Pooling/config.json': { word_embedding_dimension: 384, pooling_mode_mean_tokens: true, pooling_mode_cls_token: false },
  'sentence_bert_config.json': { max_seq_length: 256 },
  'config_sentence_transformers.json': { prompts: { query: 'Q: ', document: 'D: ' } },
};

/** Configurations with changes; `undefined` removes a file. */
const derive = (changes: Record<string, unknown> = {}, overrides: Overrides = {}, evidence: Partial<Evidence> = {}) =>
  deriveDescription(
    {
      repository: 'team/unknown',
      configs: new Map(Object.entries({ ...CONFIGS, ...changes }).filter(([, value]) => value !== undefined)),
      ...evidence,
    },
    overrides,
    'm',
  );
const EXPORT = {
  'modules.json': undefined,
  '1_Pooling/config.json': undefined,
  'sentence_bert_config.json': undefined,
  'config_sentence_transformers.json': undefined,
};

describe('the description of a model', () => {
  it('is derived from its files', () => {
    expect(derive()).toEqual({
      provider: 'onnx',
      model: 'm',
      dimensions: 384,
      pooling: 'mean',
      maxTokens: 256,
      normalize: true,
      queryPrefix: 'Q: ',
      passagePrefix: 'D: ',
      lowercase: false,
    });
  });

  it.each([
    [{ pooling_mode_cls_token: true }, 'cls'],
    [{ pooling_mode_lasttoken: true }, 'last'],
    [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean'],
    [{ pooling_mode: 'lasttoken' }, 'last'],
  ])('has the pooling of %j', (config, pooling) => {
    expect(derive({ '1_Pooling/config.json': config }).pooling).toBe(pooling);
  });

  it('has the smallest limit of tokens, without reserved positions', () => {
    const config = { model_type: 'xlm-roberta', hidden_size: 768, max_position_embeddings: 514 };
    expect(derive({ 'config.json': config, 'sentence_bert_config.json': { max_seq_length: 8192 } }).maxTokens).toBe(512);
    expect(
      derive({ 'config.json': config, 'sentence_bert_config.json': undefined, 'tokenizer_config.json': { model_max_length: 1e30 } })
        .maxTokens,
    ).toBe(512);
    expect(derive({ 'sentence_bert_config.json': undefined, 'tokenizer_config.json': { model_max_length: 128 } }).maxTokens).toBe(128);
    expect(derive({ 'sentence_bert_config.json': { max_seq_length: 100, do_lower_case: true } })).toMatchObject({
      maxTokens: 100,
      lowercase: true,
    });
  });

  it.each([
    ['Xenova/multilingual-e5-small', 'mean', 512, 'query: ', 'passage: '],
    ['intfloat/multilingual-e5-base', 'mean', 512, 'query: ', 'passage: '],
    ['Xenova/paraphrase-multilingual-MiniLM-L12-v2', 'mean', 128, '', ''],
    ['Xenova/bge-m3', 'cls', 512, '', ''],
    ['someone/bge-m3-onnx', 'cls', 512, '', ''],
    ['Xenova/bge-small-en-v1.5', 'cls', 512, 'Represent this sentence for searching relevant passages: ', ''],
  ])('of %s is known by its name where an export lacks the files', (repository, pooling, maxTokens, queryPrefix, passagePrefix) => {
    expect(derive(EXPORT, {}, { repository })).toMatchObject({ pooling, maxTokens, queryPrefix, passagePrefix });
  });

  it('follows the caller before the repository', () => {
    const overrides = { dimensions: 8, pooling: 'cls', maxTokens: 9, queryPrefix: '', passagePrefix: 'p', languages: ['de'] } as const;
    expect(derive({}, overrides)).toMatchObject(overrides);
    expect(derive({ 'config_sentence_transformers.json': undefined }, { queryPrefix: 'q' })).toMatchObject({
      queryPrefix: 'q',
      passagePrefix: '',
    });
  });

  it.each([
    [['en'], ['en']],
    [
      ['de', 'fr'],
      ['de', 'fr'],
    ],
    [['multilingual', 'de'], undefined],
    [Array.from({ length: 11 }, () => 'en'), undefined],
    [['code'], undefined],
    [undefined, undefined],
  ])('has the languages of the card %j', (languages, expected) => {
    expect(derive({}, {}, languages === undefined ? {} : { languages }).languages).toEqual(expected);
  });
});

describe('a description is refused', () => {
  it.each<[string, Record<string, unknown>]>([
    ['--dimensions', { 'config.json': {}, '1_Pooling/config.json': { pooling_mode_mean_tokens: true } }],
    ['--dimensions', { '1_Pooling/config.json': { word_embedding_dimension: 5_000, pooling_mode_mean_tokens: true } }],
    ['--pooling', { '1_Pooling/config.json': undefined }],
    ['--pooling', { '1_Pooling/config.json': { pooling_mode_max_tokens: true } }],
    ['--pooling', { '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } }],
    ['--max-tokens', { 'config.json': { hidden_size: 384 }, 'sentence_bert_config.json': undefined }],
    ['--query-prefix and --passage-prefix', { 'config_sentence_transformers.json': { prompts: {} } }],
    ['repository', { 'modules.json': [{ type: 'sentence_transformers.models.Dense', path: '2_Dense' }] }],
    ['repository', { 'modules.json': [{ type: 'x.Pooling', path: 'elsewhere' }] }],
    ['repository', { '1_Pooling/config.json': { pooling_mode_mean_tokens: true, include_prompt: false } }],
  ])('naming %s, for %j', (field, changes) => {
    expect(() => derive(changes)).toThrow(expect.objectContaining({ code: 'InvalidValue', field }));
  });
});
