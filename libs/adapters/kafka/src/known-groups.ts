import { decodeStates, SETTLED, encodeStates, type OffsetState } from './commit-metadata.ts';
import type { KafkaLink } from './kafka-link.ts';
import { groupName } from './names.ts';
import { commitForGroup, committedOffsets, keptOffsets, type Committed, type Kept } from './offsets.ts';
import { PartitionLedger } from './partition-ledger.ts';

/** The state of a partition for a group. */
type GroupPosition = Readonly<{ kept: Kept; committed: Committed | undefined }>;

/**
 * The groups in Kafka. Kafka keeps settled messages until their retention ends. The port promises that a new group does not get
 * messages that every known group has settled, so a new group begins at the lowest position of the others.
 */
export class KnownGroups {
  readonly #link: KafkaLink;

  constructor(link: KafkaLink) {
    this.#link = link;
  }

  /** Commits the start offsets of the group in partitions without a commit of that group. */
  async register(topic: string, partitions: number, group: string): Promise<void> {
    const groupId = groupName(topic, group);
    const committed = await committedOffsets(this.#link, groupId, topic, partitions);
    const missing = committed.flatMap((one, partition) => (one === undefined ? [partition] : []));
    if (missing.length === 0) return;
    const kept = await keptOffsets(this.#link, topic, partitions);
    const begin = await this.#begin(topic, kept);
    try {
      await commitForGroup(
        this.#link,
        groupId,
        topic,
        missing.map((partition) => ({ partition, ...(begin[partition] ?? { offset: 0, metadata: '' }) })),
      );
    } catch (error) {
      // the group has members by now, and the process that admitted them has committed
      if ((await committedOffsets(this.#link, groupId, topic, partitions)).some((one) => one === undefined)) throw error;
    }
  }

  /** Messages of the topic that the group has not settled. */
  async lag(topic: string, partitions: number, group: string): Promise<number> {
    // settled offsets first: in the other order, messages that arrive in between could make the difference negative
    const committed = await committedOffsets(this.#link, groupName(topic, group), topic, partitions);
    const kept = await keptOffsets(this.#link, topic, partitions);
    const begin = committed.includes(undefined) ? await this.#begin(topic, kept) : [];
    return kept.reduce((sum, one, partition) => sum + unsettled({ kept: one, committed: committed[partition] ?? begin[partition] }), 0);
  }

  /** The start offsets of a new group, per partition. */
  async #begin(topic: string, kept: readonly Kept[]): Promise<readonly Committed[]> {
    const { groups } = await this.#link.administer('list groups', (admin) => admin.listGroups());
    const others = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(groupName(topic, '')));
    const commits = await Promise.all(others.map((groupId) => committedOffsets(this.#link, groupId, topic, kept.length)));
    return kept.map((one, partition) => {
      const ledgers = commits.flatMap((offsets) =>
        offsets[partition] === undefined ? [] : [ledgerOf({ kept: one, committed: offsets[partition] })],
      );
      return ledgers.length === 0 ? { offset: one.low, metadata: '' } : settledByAll(ledgers, one.high);
    });
  }
}

/** The ledger of a partition from its commit. Offsets that are no longer kept count as settled. */
export const ledgerOf = ({ kept, committed }: GroupPosition): PartitionLedger => {
  const ledger = new PartitionLedger(committed?.offset ?? kept.low, decodeStates(committed?.metadata ?? ''));
  ledger.settleUpTo(kept.low);
  return ledger;
};

const unsettled = (position: GroupPosition): number => {
  const ledger = ledgerOf(position);
  let count = 0;
  for (let offset = ledger.low; offset < position.kept.high; offset += 1) {
    if (offset >= ledger.end) return count + position.kept.high - offset;
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
