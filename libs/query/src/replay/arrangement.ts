import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';
import type { OpenedHit } from '../pipeline/opened-hit.ts';

/** How the results of a search depend on each other. */
export type Arrangement = Readonly<{
  /** Only if it collapses: the passage that stands for another one, which is like it. */
  standIns?: ReadonlyMap<ChunkId, ChunkId>;
  /** Only if it groups: the passages of each document, best first, without those that are over the limit of a group. */
  groups?: ReadonlyMap<DocumentId, readonly ChunkId[]>;
}>;

/** Other passages that decide where a passage is. They are on one side of a comparison only, or have another part on each. */
export type Arranged = Readonly<{ kind: 'copy' | 'group'; detail: string; by: readonly ChunkId[] }>;

export const arrangementOf = (
  { collapse, groupBy }: Readonly<{ collapse?: boolean; groupBy?: string }>,
  opened: readonly OpenedHit[],
): Arrangement => {
  const standIns = opened.flatMap(({ chunkId, similar }) => (similar?.passages ?? []).map((other) => [other.chunkId, chunkId] as const));
  const byDocument = Map.groupBy(opened, ({ chunk }) => chunk.documentId);
  return {
    ...(collapse === true ? { standIns: new Map(standIns) } : {}),
    ...(groupBy === undefined ? {} : { groups: new Map([...byDocument].map(([id, hits]) => [id, hits.map(({ chunkId }) => chunkId)])) }),
  };
};

/** Undefined if nothing else than its own rank decides where the passage is, or the same on both sides. */
export const arrangedOtherwise = (
  before: Arrangement,
  after: Arrangement,
  { chunk, documentId }: Readonly<{ chunk: ChunkId; documentId: DocumentId | undefined }>,
): Arranged | undefined => {
  const [stood, stands] = [before.standIns?.get(chunk), after.standIns?.get(chunk)];
  if (stands !== undefined && stands !== stood)
    return { kind: 'copy', detail: 'a passage that says the same stands for it', by: defined([stands, stood]) };
  if (stood !== undefined && stands === undefined)
    return { kind: 'copy', detail: 'the passage that says the same does not stand for it any more', by: [stood] };
  const document = documentId ?? documentIn(before, chunk) ?? documentIn(after, chunk);
  return document === undefined ? undefined : groupedOtherwise(before.groups?.get(document), after.groups?.get(document), chunk);
};

type Group = readonly ChunkId[] | undefined;

/** A group has the place of its best passage, and room for a few. */
const groupedOtherwise = (was: Group = [], is: Group = [], chunk: ChunkId): Arranged | undefined => {
  if (was[0] !== is[0]) {
    const by = defined([was[0], is[0]]).filter((best) => best !== chunk);
    if (by.length > 0) return { kind: 'group', detail: 'its document has another best passage', by };
  }
  if (was.includes(chunk) === is.includes(chunk)) return undefined;
  const [without, other] = is.includes(chunk) ? [was, is] : [is, was];
  const instead = without.filter((one) => !other.includes(one));
  return instead.length === 0 ? undefined : { kind: 'group', detail: 'other passages of its document have its place', by: instead };
};

const documentIn = ({ groups = new Map() }: Arrangement, chunk: ChunkId): DocumentId | undefined =>
  [...groups].find(([, passages]) => passages.includes(chunk))?.[0];

const defined = <Value>(values: readonly (Value | undefined)[]): readonly Value[] => values.filter((value) => value !== undefined);
