/**
 * Fixed texts in several scripts and in code: a model that changed under its name gives some of them other vectors. Never changed, since
 * their vectors are compared over time. Short, since one of them is in each request.
 */
export const CANARY_STRINGS: readonly string[] = [
  'How do I reset my password?',
  'The invoice is due within thirty days of receipt.',
  'Die Heizung im dritten Stock ist seit Montag ausgefallen.',
  'const total = items.reduce((sum, { price }) => sum + price, 0);',
  '東京の天気は晴れのち曇りです。',
  'A passage of several sentences is closer to real work. It mentions servers, contracts and people. It ends here.',
];

/**
 * The lowest cosine of vectors of one text that counts as the same model. The rounding of endpoints, other batches, and the 8 bits of
 * recorded vectors give more than 0.999, a missing prefix less than 0.98; docs/adr/0044 has the figures.
 */
export const SAME_MODEL = 0.99;

/** The vectors of the canary strings, in their order: a signed byte for each dimension, as base64. Only their directions matter. */
export type ModelFingerprint = readonly string[];

/** `lowest`: the lowest cosine between a vector of a canary string and the recorded one. */
export type CanaryCheck = Readonly<{ strings: number; lowest: number }>;
