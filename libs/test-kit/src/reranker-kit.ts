import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';
import fc from 'fast-check';
import { anyText } from './any-text.ts';

export type RerankerUnderTest = Readonly<{
  /** A reranker that prefers passages with more words of the query. */
  open: () => Promise<Reranker> | Reranker;
  /** Rerankers whose model gives no usable answer: not a number, too few scores. Opening one may already fail. */
  openBroken: Readonly<Record<string, () => Promise<Reranker> | Reranker>>;
  /** Number of runs of each property; lower for a slow model. */
  runs?: number;
}>;

const passage = (text: string, over: Partial<RerankPassage> = {}): RerankPassage => ({ title: '', context: '', text, ...over });

const QUERY = 'water pump pressure';
const GOOD = 'the pressure of the water pump';
const OTHERS = ['bananas are yellow', 'a house by the lake', 'the weather is fine today'];

const bestOf = (scores: readonly number[]): number => scores.indexOf(Math.max(...scores));

/** The contract of `Reranker`. */
export const describeReranker = (name: string, underTest: RerankerUnderTest): void =>
  describe(`${name} fulfils the contract of Reranker`, () => {
    const { runs = 20 } = underTest;
    let reranker: Reranker;
    beforeAll(async () => {
      reranker = await underTest.open();
    });
    afterAll(() => reranker.close());

    it('has a version', () => expect(reranker.version).toMatch(/^\S{1,300}$/));

    it('gives no scores for no passages', async () => expect(await reranker.score(QUERY, [])).toEqual([]));

    it('scores the passage that answers the query best, wherever it is', async () => {
      for (let at = 0; at <= OTHERS.length; at++) {
        const scores = await reranker.score(
          QUERY,
          OTHERS.toSpliced(at, 0, GOOD).map((text) => passage(text)),
        );
        expect(scores).toHaveLength(OTHERS.length + 1);
        expect(bestOf(scores)).toBe(at);
      }
    });

    it('gives one finite score for each passage, whatever the texts are', async () => {
      const someText = fc.oneof(fc.lorem({ maxCount: 8 }), anyText({ maxLength: 60 }), fc.constantFrom('', ' ', '[SEP]', '"]}', '\n1. \n'));
      const passages = fc.array(fc.record({ title: someText, context: someText, text: someText }), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(someText, passages, async (query, given) => {
          const scores = await reranker.score(query, given);
          expect(scores).toHaveLength(given.length);
          expect(scores.every((score) => Number.isFinite(score))).toBe(true);
        }),
        { numRuns: runs },
      );
    });

    it('reads the title and the context of a passage, before its text', async () => {
      const long = 'bananas are yellow '.repeat(50_000);
      for (const over of [{ title: GOOD }, { context: GOOD }])
        expect(bestOf(await reranker.score(QUERY, [passage(long), passage(long, over), passage('a lake')]))).toBe(1);
    });

    it('scores passages with a query that is longer than the window', async () => {
      const scores = await reranker.score(`${QUERY} ${'something else '.repeat(2_000)}`, [passage(OTHERS[1] ?? ''), passage(GOOD)]);
      expect(bestOf(scores)).toBe(1);
    });

    it('keeps concurrent calls apart', async () => {
      const calls = Array.from({ length: 5 }, (_, at) => OTHERS.toSpliced(at % 4, 0, GOOD).map((text) => passage(text)));
      const scores = await Promise.all(calls.map((passages) => reranker.score(QUERY, passages)));
      expect(scores.map(bestOf)).toEqual([0, 1, 2, 3, 0]);
    });

    it('ends a call that was aborted with the reason of the signal', async () => {
      const reason = new Error('not needed any more');
      await expect(reranker.score(QUERY, [passage(GOOD)], AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const pending = reranker.score(
        QUERY,
        Array.from({ length: 30 }, () => passage(GOOD)),
        controller.signal,
      );
      controller.abort(reason);
      await expect(pending).rejects.toBe(reason);
    });

    it.each(Object.entries(underTest.openBroken))('is Unavailable with %s, in words without the texts', async (_, open) => {
      const ask = async (): Promise<readonly number[]> => {
        const broken = await open();
        return broken
          .score(
            QUERY,
            [...OTHERS, GOOD].map((text) => passage(text)),
          )
          .finally(() => broken.close());
      };
      const error = await ask().then(
        (scores) => expect(scores).toBe('refused'),
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'Unavailable', message: expect.not.stringMatching(/pump|banana|lake|127\.0\.0\.1|secret/) });
    });

    it('is Unavailable once it is closed', async () => {
      const closed = await underTest.open();
      await closed.close();
      await expect(closed.score(QUERY, [passage(GOOD)])).rejects.toMatchObject({ code: 'Unavailable' });
    });
  });
