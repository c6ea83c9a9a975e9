import { SeededRandom } from '@palimpsest/foundation';
import type { Judgements, Subtopics } from '../src/measures/judgements.ts';
import type { ScoredDocument } from '../src/measures/rank-by-score.ts';

/** Ids whose order differs between bytes, UTF-16 and alphabets. */
const PREFIXES = ['d', 'D', 'doc-', '\u00e9', 'z', '\uffc6', '\u{1f600}', ''];
const DOCUMENTS = Array.from({ length: 200 }, (_, index) => `${PREFIXES[index % 8]}${index}`);

/** The run of a seed, made as tools/eval/golden-evaluation.py makes it: both must draw the same numbers in the same order. */
export const randomRun = (seed: number): { judgements: Judgements; documents: readonly ScoredDocument[] } => {
  const random = new SeededRandom(seed);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const judgements = new Map<string, number>();
  for (let left = 1 + below(40); left > 0; left--) {
    const document = DOCUMENTS[below(200)] ?? '';
    judgements.set(document, below(4));
  }
  const scores = new Map<string, number>();
  for (let left = 1 + below(150); left > 0; left--) {
    const document = DOCUMENTS[below(200)] ?? '';
    // Many equal scores, and many that are equal as 32-bit floats only.
    const score = below(20) / 4 + below(3) * 1e-9;
    if (!scores.has(document)) scores.set(document, score);
  }
  return { judgements, documents: [...scores].map(([id, score]) => ({ id, score })) };
};

/** The run and the judgements with subtopics of a seed, as tools/eval/golden-evaluation.py makes them. */
export const randomDiversity = (seed: number): { subtopics: Subtopics; documents: readonly ScoredDocument[] } => {
  const random = new SeededRandom(seed);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const subtopics = Array.from({ length: 1 + below(6) }, () => new Map<string, number>());
  for (let left = 1 + below(60); left > 0; left--) {
    const document = DOCUMENTS[below(40)] ?? '';
    subtopics[below(subtopics.length)]?.set(document, below(3));
  }
  const scores = new Map<string, number>();
  for (let left = 1 + below(60); left > 0; left--) {
    const document = DOCUMENTS[below(40)] ?? '';
    const score = below(20) / 4 + below(3) * 1e-9;
    if (!scores.has(document)) scores.set(document, score);
  }
  return { subtopics, documents: [...scores].map(([id, score]) => ({ id, score })) };
};
