import type { ModelTest, ModelView } from '@palimpsest/client';
import { count, counted, milliseconds } from '../format/format.ts';

export type Fact = readonly [name: string, value: string];

const ORIGINS: Readonly<Record<string, string>> = {
  'built-in': 'part of the platform',
  settings: 'the settings of the server',
  file: 'the file of models',
  operator: 'added by an operator',
};

const limit = (value: number | undefined, words: (value: number) => string): readonly string[] =>
  value === undefined ? [] : [words(value)];

/** `at most 4 requests at once, 600 requests a minute`; undefined without limits. */
export const limitsOf = ({ limits = {} }: Pick<ModelView, 'limits'>): string | undefined => {
  const parts = [
    ...limit(limits.batchSize, (value) => `${counted(value, 'text')} in a request`),
    ...limit(limits.concurrency, (value) => `${counted(value, 'request')} at once`),
    ...limit(limits.requestsPerMinute, (value) => `${counted(value, 'request')} a minute`),
    ...limit(limits.tokensPerMinute, (value) => `${counted(value, 'token')} a minute`),
  ];
  return parts.length === 0 ? undefined : `at most ${parts.join(', ')}`;
};

/** What the server says about a model. Most of it is for operators only, and missing for others. */
export const factsOf = (model: ModelView): readonly Fact[] => {
  const { dimensions, location, origin, loaded, pricePerMillionTokens: price } = model;
  const limits = limitsOf(model);
  const facts: (readonly [string, string | undefined])[] = [
    ['Dimensions', count(dimensions)],
    ['Declared in', origin && (ORIGINS[origin] ?? origin)],
    ['Location', location],
    ['Loaded', loaded === undefined ? undefined : loaded ? 'yes' : 'no; on first use'],
    ['Limits', limits],
    ['Price', price === undefined ? undefined : `$${price} per million tokens`],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
};

export const testFactsOf = ({
  dimensions,
  texts,
  tokens,
  loadMs,
  ms,
  tokensPerSecond,
  repeatable,
  digest,
  similarity,
}: ModelTest): readonly Fact[] => [
  ['First text', `${milliseconds(loadMs)}, including the time to load the model`],
  [
    'All texts',
    `${counted(texts, 'text')} with ${counted(tokens, 'token')} in ${milliseconds(ms)} (${count(Math.round(tokensPerSecond))} tokens per second)`,
  ],
  ['Vectors', `${count(dimensions)} dimensions, ${repeatable ? 'identical' : 'different'} in a second call`],
  ['Digest', digest],
  ...(similarity === undefined ? [] : [['Canary strings', `lowest cosine ${similarity.toFixed(4)} with the recorded vectors`] as const]),
];
