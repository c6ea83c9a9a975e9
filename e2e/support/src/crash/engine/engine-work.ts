import { UNSPEAKABLE } from '../work.ts';
import type { Promises } from '../promises.ts';
import type { Order } from './engine-process.ts';

/** One task for the engine. Its acknowledgement becomes a promise; without one, the task is repeated. */
export type EngineStep = Readonly<{
  name: string;
  order: (promises: Promises) => Order;
  acknowledged: (promises: Promises, done: unknown) => void;
}>;
/** Steps that are sent at the same time. The next wave is sent when all of them are acknowledged. */
export type Wave = readonly EngineStep[];

const COLOURS = ['red', 'green', 'blue'];
const sentence = (word: string, n: number): string =>
  `The ${word} number ${n} stands near the harbour, where ${word} and engine meet the ${COLOURS[n % 3]} garden. `;
const text = (word: string, n: number, paragraphs: number, { more = '', sentences = 4 } = {}): string =>
  Array.from({ length: paragraphs }, (_, i) => `Part ${i} of ${word}. ${more} ${sentence(word, n + i).repeat(sentences)}`).join('\n\n');

const submit = (
  sourceId: string,
  content: string,
  { knowledgeBase = '', labels = {} }: Readonly<{ knowledgeBase?: string; labels?: Readonly<Record<string, string>> }> = {},
): EngineStep => ({
  name: `submit ${sourceId}`,
  order: () => ({ do: 'submit', sourceId, text: content, knowledgeBase, labels }),
  acknowledged: (promises, done) =>
    promises.document(sourceId, {
      ...(done as { documentId: string; version: number }),
      text: content,
      labels,
      ...(knowledgeBase === '' ? {} : { knowledgeBase }),
    }),
});

const remove = (sourceId: string): EngineStep => ({
  name: `remove ${sourceId}`,
  order: (promises) => ({ do: 'remove', documentId: promises.idOf(sourceId) }),
  acknowledged: (promises) => promises.removed(sourceId),
});

const createBase = (base: string, scope: string): EngineStep => ({
  name: `create ${base}`,
  order: () => ({ do: 'create base', base, scope }),
  acknowledged: (promises) => promises.knowledgeBase(base, scope),
});

const archiveBase = (base: string): EngineStep => ({
  name: `archive ${base}`,
  order: () => ({ do: 'archive base', base }),
  acknowledged: (promises) => promises.archived(base),
});

const issueKey = (name: string): EngineStep => ({
  name: `key ${name}`,
  order: () => ({ do: 'issue key', name }),
  acknowledged: (promises, done) => {
    const { key, keyId } = done as { key: string; keyId: string };
    promises.key(name, key, keyId);
  },
});

const revokeKey = (name: string): EngineStep => ({
  name: `revoke ${name}`,
  order: (promises) => ({ do: 'revoke key', keyId: promises.keyIdOf(name) }),
  acknowledged: (promises) => promises.revoked(name),
});

const only = (what: 'settle' | 'rebuild'): EngineStep => ({ name: what, order: () => ({ do: what }), acknowledged: () => undefined });
export const SETTLED: Wave = [only('settle')];

/** `full`: with its own scope and a rebuild. */
export type RoundOptions = Readonly<{ full?: boolean }>;

/** Every type of work once, most of it concurrently; names contain the number of the round. Every sixth round is a full one. */
export const engineRound = (n: number, { full = n % 6 === 5 }: RoundOptions = {}): readonly Wave[] => {
  const [a, b, c] = [`anchor-${n}`, `beacon-${n}`, `candle-${n}`];
  const base = `base-${n}`;
  return [
    [
      createBase(base, full ? `team:t${n}` : 'deployment'),
      issueKey(`key-${n}`),
      submit(a, text('anchor', n, 2)),
      submit(`bad-${n}`, `The ${UNSPEAKABLE} of round ${n}.`),
    ],
    [
      submit(b, text('beacon', n, 1), { knowledgeBase: base, labels: { round: String(n) } }),
      submit(c, text('candle', n, 3)),
      submit(a, text('anchor', n, 2, { more: 'Changed.' })),
    ],
    SETTLED,
    [
      submit(b, text('beacon', n, 1), { knowledgeBase: base, labels: { round: String(n), changed: 'yes' } }),
      ...(n > 0 ? [remove(`candle-${n - 1}`), revokeKey(`key-${n - 1}`), archiveBase(`base-${n - 1}`)] : []),
    ],
    ...(full ? [[only('rebuild')]] : []),
    SETTLED,
  ];
};
