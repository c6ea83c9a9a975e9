import { CHUNK_WORDS, selectionIds } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { satisfiesTerms, type EntryReadings, type SelectedChunks, type TermConditions } from '@palimpsest/knowledge/selections';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { FoundPoint, PartitionPoints } from '../partitions/partition-points.ts';
import type { PartitionSeal } from '../partitions/partition-seal.ts';
import { TERMS } from './lexical-options.ts';
import { queryVector } from './sparse-terms.ts';

/** Numbers of chunks that are read to find those with an entry. The last one is the limit. */
const READS = [1_000, 10_000, 100_000] as const;

/** What all queries for words have in common. */
export const WORDS = { using: TERMS, params: {}, withVector: false, ownFrequencies: true } as const;

/** The terms of a chunk; none of a point that another program has written. */
export const heldTerms = ({ chunkId, payload }: FoundPoint, seal: Pick<PartitionSeal, 'open'>): ReadonlySet<string> => {
  const opened = seal.open(TERMS, chunkId, payload[TERMS]);
  return new Set(opened === undefined ? [] : (JSON.parse(opened.toString()) as readonly string[]));
};

type Read = Readonly<{ points: Pick<PartitionPoints, 'query' | 'count'>; seal: Pick<PartitionSeal, 'number' | 'open'> }>;

/**
 * The chunks that satisfy the conditions. The server finds those with one word; the others are compared here, with the sealed terms.
 * @throws InvalidValue if every required entry, or one that is excluded alone, has only words that too many chunks contain
 */
export const selectInPoints = async (conditions: TermConditions, from: Read): Promise<SelectedChunks> => {
  const { required, excluded, ignored } = conditions;
  if (required.length > 0) {
    const candidates = await holdersOfOne(required, from);
    const only = selectionIds(idsWhere(candidates, (terms) => satisfiesTerms(conditions, terms)));
    return { chunks: { only }, count: only.length / CHUNK_WORDS, ignored };
  }
  const left: ChunkId[] = [];
  for (const entry of excluded)
    left.push(...idsWhere(await holdersOfOne([entry], from), (terms) => !satisfiesTerms({ ...conditions, excluded: [entry] }, terms)));
  const except = selectionIds(left);
  return { chunks: { except }, count: (await from.points.count()) - except.length / CHUNK_WORDS, ignored };
};

type Holder = Readonly<{ chunkId: ChunkId; terms: ReadonlySet<string> }>;

const idsWhere = (holders: readonly Holder[], test: (terms: ReadonlySet<string>) => boolean): readonly ChunkId[] =>
  holders.flatMap(({ chunkId, terms }) => (test(terms) ? [chunkId] : []));

/** All chunks that may have a certain one of the entries: the first that few enough chunks have. */
const holdersOfOne = async (entries: readonly EntryReadings[], from: Read): Promise<readonly Holder[]> => {
  for (const limit of READS)
    for (const entry of entries) {
      const found = await Promise.all(entry.map((reading) => holders(reading, limit, from)));
      if (found.every((of) => of !== undefined)) return found.flat();
    }
  throw new InvalidValue('terms', `a word that fewer than ${READS[2]} chunks of each scope contain`, entries[0]?.[0]?.join(' '));
};

/** The chunks with the longest term of a reading, which is probably its rarest; undefined if there are as many as the limit. */
const holders = async (reading: readonly string[], limit: number, { points, seal }: Read): Promise<readonly Holder[] | undefined> => {
  const [longest = ''] = [...reading].sort((a, b) => b.length - a.length);
  const query = queryVector(new Map([[longest, 1]]), seal);
  const found = await points.query({ ...WORDS, query, limit, payload: [TERMS] }, []);
  return found.length === limit ? undefined : found.map((point) => ({ chunkId: point.chunkId, terms: heldTerms(point, seal) }));
};
