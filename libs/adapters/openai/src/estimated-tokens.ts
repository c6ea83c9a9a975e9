/**
 * Estimates the tokens of a text for an endpoint with an unknown tokenizer: similar to most tokenizers, rather too many than too few.
 * In a word, four ASCII letters, two digits or two letters of another alphabet make a token; every other character is one.
 */
export const estimatedTokens = (text: string): number => {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += tokensOf(run);
  return tokens;
};

const RUNS = /[A-Za-z]+|\p{Nd}+|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{M}]+|\S/gu;

/** Number of UTF-16 units per token of a run. */
const unitsOf = (run: string): number => (/^[A-Za-z]/.test(run) ? 4 : 2);

const tokensOf = (run: string): number => Math.ceil(run.length / unitsOf(run));

/** Length of the longest beginning of a text with at most `max` tokens, in UTF-16 units. */
export const unitsOfTokens = (text: string, max: number): number => {
  let tokens = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const before = tokens;
    tokens += tokensOf(run);
    if (tokens > max) return index + (max - before) * unitsOf(run);
  }
  return text.length;
};
