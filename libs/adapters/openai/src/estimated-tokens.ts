/**
 * Tokens of a text for an endpoint whose tokenizer is not known here: what most tokenizers come to, and rather more than less. Of a
 * word, four ASCII letters, two digits or two letters of another alphabet make a token; every other character is one.
 */
export const estimatedTokens = (text: string): number => {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += tokensOf(run);
  return tokens;
};

const RUNS = /[A-Za-z]+|\p{Nd}+|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{M}]+|\S/gu;

/** UTF-16 units of a run's tokens. */
const unitsOf = (run: string): number => (/^[A-Za-z]/.test(run) ? 4 : 2);

const tokensOf = (run: string): number => Math.ceil(run.length / unitsOf(run));

/** How much of a text has at most `most` tokens, in UTF-16 units. */
export const unitsOfTokens = (text: string, most: number): number => {
  let tokens = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const before = tokens;
    tokens += tokensOf(run);
    if (tokens > most) return index + (most - before) * unitsOf(run);
  }
  return text.length;
};
