import { folded } from '../ranking/same-word.ts';
import { termMatches } from '../ranking/term-matches.ts';
import type { ContextHit } from './context-hit.ts';

/** A sentence of a hit, between two UTF-16 offsets of its text. `hit`: index among the hits. */
export type Sentence = Readonly<{ hit: number; start: number; end: number }>;

/** Marks what is left out between, before or after sentences. */
const OMISSION = '[…]';

/** As usual for BM25; a sentence that is long because it is a list says less with each word. */
const [K1, B] = [1.2, 0.75];
/** Share of the score of its neighbours that a sentence gets: an answer often stands next to the words of the question. */
const FROM_NEIGHBOUR = 0.25;
/** Each next hit counts so much less: with the same words, the better hit comes first. */
const PER_RANK = 0.25;

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/**
 * The sentences of the hits (Unicode Standard Annex 29; the end of a line ends a sentence, too), those that carry the query first: by
 * BM25 of its words among these sentences, that of the neighbouring sentences, and the rank of the hit. Deterministic, without a model.
 * A sentence that an earlier hit has already, because chunks overlap, is left out.
 */
export const sentencesByQuery = (hits: readonly Pick<ContextHit, 'text'>[], query: string): readonly Sentence[] => {
  const known = new Set<string>();
  const sentences = hits.flatMap(({ text }, hit) =>
    [...segmenter.segment(text)].flatMap(({ segment, index: start }) => {
      const content = segment.replace(/\s+/g, ' ').trim();
      if (content === '' || known.has(content)) return [];
      known.add(content);
      return [{ hit, start, end: start + segment.trimEnd().length, content }];
    }),
  );
  const own = scoresOf(
    sentences.map(({ content }) => content),
    query,
  );
  const ranked = sentences.map((sentence, at) => {
    const around = [at - 1, at + 1]
      .filter((other) => sentences[other]?.hit === sentence.hit)
      .reduce((sum, other) => sum + (own[other] ?? 0), 0);
    return { sentence, at, score: ((own[at] ?? 0) + FROM_NEIGHBOUR * around) / (1 + PER_RANK * sentence.hit) };
  });
  return ranked
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .map(({ sentence: { hit, start, end } }) => ({ hit, start, end }));
};

/** BM25 of each text for the words of the query. */
const scoresOf = (texts: readonly string[], query: string): readonly number[] => {
  const terms = [...new Set((query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(folded))];
  const counts = texts.map((text) => {
    const counted = new Map<string, number>();
    for (const { term } of termMatches(text, terms)) counted.set(term, (counted.get(term) ?? 0) + 1);
    return counted;
  });
  const holders = new Map<string, number>();
  for (const counted of counts) for (const term of counted.keys()) holders.set(term, (holders.get(term) ?? 0) + 1);
  const average = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length);
  return counts.map((counted, at) => {
    const norm = K1 * (1 - B + (B * (texts[at]?.length ?? 0)) / average);
    let score = 0;
    for (const [term, count] of counted) {
      const holding = holders.get(term) ?? 0;
      score += (Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5)) * count * (K1 + 1)) / (count + norm);
    }
    return score;
  });
};

/** The hits with these sentences only, in the order of their texts, and a mark where something is left out. Hits without one are missing; whole ones stay the same. */
export const withSentences = <Hit extends Pick<ContextHit, 'text'>>(hits: readonly Hit[], chosen: readonly Sentence[]): readonly Hit[] => {
  const byHit = Map.groupBy(chosen, ({ hit }) => hit);
  return hits.flatMap((hit, at) => {
    const sentences = [...(byHit.get(at) ?? [])].sort((one, other) => one.start - other.start);
    if (sentences.length === 0) return [];
    const text = excerptOf(hit.text, sentences);
    return [text === hit.text.trim() ? hit : { ...hit, text }];
  });
};

const excerptOf = (text: string, sentences: readonly Sentence[]): string => {
  const isBlank = (from: number, to?: number): boolean => text.slice(from, to).trim() === '';
  let [excerpt, end] = ['', 0];
  for (const sentence of sentences) {
    // What stands between two sentences that follow each other stays as it is: white space, of which a line break can matter.
    if (isBlank(end, sentence.start)) excerpt += excerpt === '' ? '' : text.slice(end, sentence.start);
    else excerpt += excerpt === '' ? `${OMISSION} ` : ` ${OMISSION} `;
    excerpt += text.slice(sentence.start, sentence.end);
    end = sentence.end;
  }
  return isBlank(end) ? excerpt : `${excerpt} ${OMISSION}`;
};
