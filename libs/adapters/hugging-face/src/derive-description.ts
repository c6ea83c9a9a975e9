import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';
import { isRecord, textIn, wholeIn, type Json } from './json-fields.ts';
import { familyOf, type Family } from './model-families.ts';
import { checkModules, poolingOf, type Pooling } from './pooling-of.ts';

/** The fields of `model.json` (libs/adapters/onnx) except the files. */
export type Description = Readonly<{
  provider: 'onnx';
  model: string;
  dimensions: number;
  pooling: Pooling;
  maxTokens: number;
  normalize: true;
  queryPrefix: string;
  passagePrefix: string;
  lowercase: boolean;
  languages?: readonly string[];
}>;

/** What the caller states; it takes precedence over the repository. */
export type Overrides = Readonly<{
  name?: string;
  dimensions?: number;
  pooling?: Pooling;
  maxTokens?: number;
  queryPrefix?: string;
  passagePrefix?: string;
  languages?: readonly string[];
}>;

/** Parsed files of the repository by path; missing ones are absent. */
export type Evidence = Readonly<{
  repository: string;
  configs: ReadonlyMap<string, unknown>;
  languages?: readonly string[];
}>;

const POOLING = '1_Pooling/config.json';
/** The files that the description is derived from. */
export const CONFIG_FILES = [
  'config.json',
  'modules.json',
  POOLING,
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'tokenizer_config.json',
];

/** Architectures whose positions start after two that are reserved. */
const RESERVED_POSITIONS = /^(?:xlm-)?roberta|camembert|mpnet/;

/**
 * Derives `model.json` from the files of a repository.
 * @throws InvalidValue that names the option which supplies a value that cannot be derived
 */
export const deriveDescription = ({ repository, configs, languages }: Evidence, overrides: Overrides, model: string): Description => {
  const read = (path: string): Json | undefined => {
    const value = configs.get(path);
    return isRecord(value) ? value : undefined;
  };
  const poolingFolder = checkModules(configs.get('modules.json'));
  if (poolingFolder !== undefined && `${poolingFolder}/config.json` !== POOLING)
    throw new InvalidValue('repository', `its pooling in ${POOLING} (modules.json)`, poolingFolder);
  const config = read('config.json');
  const poolingConfig = read(POOLING);
  const sentences = read('sentence_bert_config.json');
  const family = familyOf(repository);

  const dimensions =
    overrides.dimensions ??
    wholeIn(poolingConfig, 'word_embedding_dimension', 'embedding_dimension') ??
    wholeIn(config, 'hidden_size', 'dim', 'd_model', 'n_embd') ??
    missing('--dimensions', 'the dimensions of its vectors: the repository does not state them');
  if (dimensions > MAX_DIMENSIONS) throw new InvalidValue('--dimensions', `at most ${MAX_DIMENSIONS} dimensions`, dimensions);
  const pooling =
    overrides.pooling ??
    (poolingConfig === undefined ? family?.pooling : poolingOf(poolingConfig)) ??
    missing('--pooling', 'mean, cls or last: the repository has no 1_Pooling/config.json, and its name is not known');

  return {
    provider: 'onnx',
    model,
    dimensions,
    pooling,
    maxTokens: overrides.maxTokens ?? maxTokensOf(config, sentences, read('tokenizer_config.json'), family),
    normalize: true,
    ...prefixesOf(read('config_sentence_transformers.json'), family, overrides),
    lowercase: sentences?.['do_lower_case'] === true,
    ...languagesOf(overrides.languages, languages),
  };
};

const maxTokensOf = (
  config: Json | undefined,
  sentences: Json | undefined,
  tokenizer: Json | undefined,
  family: Family | undefined,
): number => {
  const positions = wholeIn(config, 'max_position_embeddings', 'n_positions');
  const reserved = RESERVED_POSITIONS.test(textIn(config, 'model_type') ?? '') ? 2 : 0;
  // Tokenizers without a limit state a very large number.
  const ofTokenizer = wholeIn(tokenizer, 'model_max_length');
  const stated =
    wholeIn(sentences, 'max_seq_length') ??
    family?.maxTokens ??
    (ofTokenizer !== undefined && ofTokenizer <= 1_000_000 ? ofTokenizer : undefined);
  const limits = [stated, ...(positions === undefined ? [] : [positions - reserved])].filter((limit) => limit !== undefined);
  return limits.length === 0
    ? missing('--max-tokens', 'the maximum number of tokens of a text: the repository does not state it')
    : Math.min(...limits);
};

type Prefixes = Pick<Description, 'queryPrefix' | 'passagePrefix'>;

/** A missing prefix is not an empty one: a wrong one costs quality that is not noticed. */
const prefixesOf = (config: Json | undefined, family: Family | undefined, { queryPrefix, passagePrefix }: Overrides): Prefixes => {
  const known = promptsOf(config) ?? family;
  // One prefix without the other states that there is no other.
  if (known === undefined && queryPrefix === undefined && passagePrefix === undefined)
    missing('--query-prefix and --passage-prefix', "the prefixes of its model card ('' for none): the repository does not state them");
  return { queryPrefix: queryPrefix ?? known?.queryPrefix ?? '', passagePrefix: passagePrefix ?? known?.passagePrefix ?? '' };
};

/** Prompts that are all empty are written by default, and state nothing. */
const promptsOf = (config: Json | undefined): Prefixes | undefined => {
  const raw = config?.['prompts'];
  const prompts = isRecord(raw) ? raw : undefined;
  const query = textIn(prompts, 'query', 'search_query', 'retrieval.query', 's2p_query');
  const passage = textIn(prompts, 'passage', 'document', 'search_document', 'retrieval.passage');
  return query === undefined && passage === undefined ? undefined : { queryPrefix: query ?? '', passagePrefix: passage ?? '' };
};

/** A list of many languages means: any. */
const MANY = 10;

const languagesOf = (stated: readonly string[] | undefined, ofCard: readonly string[] | undefined): Pick<Description, 'languages'> => {
  if (stated !== undefined) return { languages: stated };
  const codes = (ofCard ?? []).filter((code) => /^[a-z]{2}$/.test(code));
  const isAny = ofCard === undefined || ofCard.includes('multilingual') || codes.length === 0 || ofCard.length > MANY;
  return isAny ? {} : { languages: codes };
};

const missing = (option: string, expected: string): never => {
  throw new InvalidValue(option, expected, undefined);
};
