import type { ChunkText } from '@palimpsest/knowledge/events';
import type { VisibleChunk } from '@palimpsest/knowledge/read-models';

/** A chunk with its text. */
export type Passage = Readonly<{ chunk: VisibleChunk; text: ChunkText }>;

/** Of one result: in UTF-16 units, and passages on each side. */
export const EXPANSION_LIMITS = { characters: 20_000, passages: 8 } as const;

/**
 * The passages next to `hit`, nearest first, as long as they belong to it and fit. Returned in the order of the document. `at`: by index. A
 * passage that is missing, because the model refused it, ends its side.
 */
export const surroundings = (
  hit: Passage,
  at: (index: number) => Passage | undefined,
  { reach, belongs }: Readonly<{ reach: number; belongs: (passage: Passage) => boolean }>,
): readonly Passage[] => {
  const sides = new Set([-1, 1]);
  const found: Passage[] = [];
  let room = EXPANSION_LIMITS.characters;
  for (let distance = 1; distance <= reach; distance++)
    for (const side of sides) {
      const next = at(hit.chunk.index + side * distance);
      if (next === undefined || !belongs(next) || next.text.text.length > room) sides.delete(side);
      else {
        found.push(next);
        room -= next.text.text.length;
      }
    }
  return found.sort((one, other) => one.chunk.index - other.chunk.index);
};

/**
 * The text of each passage without what chunks repeat: the hit stays whole, one before it ends where the next begins, and one after it
 * begins where the previous ends. Passages of which nothing remains are missing.
 */
export const withoutRepeats = (hit: Passage, around: readonly Passage[]): readonly Passage[] => {
  const before = around.filter(({ chunk }) => chunk.index < hit.chunk.index);
  const after = around.filter(({ chunk }) => chunk.index > hit.chunk.index);
  const cut = [
    ...before.map((passage, i) => cutTo(passage, { to: (before[i + 1] ?? hit).chunk.start })),
    ...after.map((passage, i) => cutTo(passage, { from: (after[i - 1] ?? hit).chunk.end })),
  ];
  return cut.filter(({ text }) => text.text.trim() !== '');
};

/** The part between two places of the document. A text that does not have the length of its place is taken as it is. */
const cutTo = (passage: Passage, { from = 0, to = Infinity }: Readonly<{ from?: number; to?: number }>): Passage => {
  const {
    chunk: { start, end },
    text,
  } = passage;
  if (text.text.length !== end - start) return passage;
  return { ...passage, text: { ...text, text: text.text.slice(Math.max(0, from - start), Math.max(0, to - start)) } };
};
