import type { Journal } from '@palimpsest/contracts';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { StreamName } from '@palimpsest/knowledge/ports';

/** Revisions that are at most this far apart are read together. */
const GAP = 8;

/** Returns the facts at the given revisions of a stream, by revision. */
export const factsAt = async (
  journal: Journal,
  stream: StreamName,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, Fact<DomainEvent>>> => {
  const facts = new Map<number, Fact<DomainEvent>>();
  const wanted = new Set(revisions);
  for (const { from, to } of ranges([...wanted].sort((a, b) => a - b)))
    for await (const fact of journal.readStream(stream, { from, limit: to - from + 1 }))
      if (wanted.has(fact.revision)) facts.set(fact.revision, fact);
  return facts;
};

const ranges = (sorted: readonly number[]): readonly Readonly<{ from: number; to: number }>[] => {
  const found: { from: number; to: number }[] = [];
  for (const revision of sorted) {
    const last = found.at(-1);
    if (last && revision - last.to <= GAP) last.to = revision;
    else found.push({ from: revision, to: revision });
  }
  return found;
};
