import { decodeStates, SETTLED, encodeStates, type OffsetState } from './commit-metadata.ts';
import type { KafkaLink } from './kafka-link.ts';
import { groupName } from './names.ts';
import { commitForGroup, committedOffsets, keptOffsets, type Committed, type Kept } from './offsets.ts';
import { PartitionLedger } from './partition-ledger.ts';

/** Where each partition of a topic stands for a group. */
type Stand = Readonly<{ kept: Kept; committed: Committed | undefined }>;

/**
 * Groups as Kafka knows them. Kafka keeps settled messages until their retention is over; to a group first seen now they are
 * gone all the same once every known group has settled them, as the port promises: it begins where the last of the others is.
 */
export class KnownGroups {
  readonly #link: KafkaLink;

  constructor(link: KafkaLink) {
    this.#link = link;
  }

  /** Commits for the group where it begins, in partitions for which it has committed nothing. */
  async makeKnown(topic: string, partitions: number, group: string): Promise<void> {
    const groupId = groupName(topic, group);
    const committed = await committedOffsets(this.#link, groupId, topic, partitions);
    const missing = committed.flatMap((one, partition) => (one === undefined ? [partition] : []));
    if (missing.length === 0) return;
    const kept = await keptOffsets(this.#link, topic, partitions);
    const begin = await this.#begin(topic, kept);
    try {
      await commitForGroup(this.#link, groupId, topic, missing.map((partition) => ({ partition, ...(begin[partition] ?? { offset: 0, metadata: '' }) })));
    } catch (error) {
      // it has members by now: whoever let them in has made it known
      if ((await committedOffsets(this.#link, groupId, topic, partitions)).some((one) => one === undefined)) throw error;
    }
  }

  /** Messages of the topic that the group has not settled. */
  async lag(topic: string, partitions: number, group: string): Promise<number> {
    // first what is settled: asked the other way round, messages that come meanwhile could make the difference negative
    const committed = await committedOffsets(this.#link, groupName(topic, group), topic, partitions);
    const kept = await keptOffsets(this.#link, topic, partitions);
    const begin = committed.includes(undefined) ? await this.#begin(topic, kept) : [];
    return kept.reduce((sum, one, partition) => sum + unsettled({ kept: one, committed: committed[partition] ?? begin[partition] }), 0);
  }

  /** Where a group that is first seen now begins, of each partition. */
  async #begin(topic: string, kept: readonly Kept[]): Promise<readonly Committed[]> {
    const { groups } = await this.#link.administer('list groups', (admin) => admin.listGroups());
    const others = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(groupName(topic, '')));
    const stands = await Promise.all(others.map((groupId) => committedOffsets(this.#link, groupId, topic, kept.length)));
    return kept.map((one, partition) => {
      const ledgers = stands.flatMap((stand) => (stand[partition] === undefined ? [] : [ledgerOf({ kept: one, committed: stand[partition] })]));
      return ledgers.length === 0 ? { offset: one.low, metadata: '' } : settledByAll(ledgers, one.high);
    });
  }
}

/** The ledger of a partition as it was committed. Offsets that are no longer kept count as settled. */
export const ledgerOf = ({ kept, committed }: Stand): PartitionLedger => {
  const ledger = new PartitionLedger(committed?.offset ?? kept.low, decodeStates(committed?.metadata ?? ''));
  ledger.settleUpTo(kept.low);
  return ledger;
};

const unsettled = (stand: Stand): number => {
  const ledger = ledgerOf(stand);
  let count = 0;
  for (let offset = ledger.low; offset < stand.kept.high; offset += 1) {
    if (offset >= ledger.end) return count + stand.kept.high - offset;
    if (ledger.at(offset) !== SETTLED) count += 1;
  }
  return count;
};

const settledByAll = (ledgers: readonly PartitionLedger[], high: number): Committed => {
  const offset = Math.min(...ledgers.map(({ low }) => low));
  const end = Math.min(high, Math.max(...ledgers.map((ledger) => ledger.end)));
  const states: OffsetState[] = [];
  for (let at = offset; at < end; at += 1) states.push(ledgers.every((ledger) => ledger.at(at) === SETTLED) ? SETTLED : undefined);
  return { offset, metadata: states.includes(SETTLED) ? encodeStates(states, Date.now()) : '' };
};
