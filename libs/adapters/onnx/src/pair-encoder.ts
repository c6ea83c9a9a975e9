import type { Tokens } from './onnx-session.ts';
import { firstTokens } from './text-encoder.ts';
import { openPairTokenizer } from './tokenizer.ts';

/** Ids and types of the special tokens and of the text in between. */
type Part = Readonly<{ ids: readonly number[]; types: readonly number[] }>;

/**
 * Converts a query and a passage to the tokens of a pair that fits the window. A long query gets at most half of it; the end of the
 * passage is cut off. Special tokens that a text contains are left out, so that a passage cannot end itself and begin another query.
 *
 * @param tokenizerJson the parsed `tokenizer.json`
 */
export const pairEncoder = (
  tokenizerJson: object,
  { maxTokens, lowercase }: Readonly<{ maxTokens: number; lowercase: boolean }>,
): ((query: string, passage: string) => Required<Tokens>) => {
  const { tokenizer, special, queryType, passageType } = openPairTokenizer(tokenizerJson);
  const [head, middle, tail] = special;
  const room = maxTokens - head.ids.length - middle.ids.length - tail.ids.length;
  const reserved = new Set(special.flatMap(({ ids }) => ids));
  const read = (text: string, most: number): readonly number[] =>
    firstTokens(tokenizer, text, { most, lowercase })
      .ids.filter((id) => !reserved.has(id))
      .slice(0, most);
  const typed = (ids: readonly number[], type: number): Part => ({ ids, types: ids.map(() => type) });

  return (query, passage) => {
    const asked = read(query, Math.floor(room / 2));
    const parts = [head, typed(asked, queryType), middle, typed(read(passage, room - asked.length), passageType), tail];
    return { ids: parts.flatMap(({ ids }) => ids), types: parts.flatMap(({ types }) => types) };
  };
};
