import { runCooperatively } from '@palimpsest/foundation';
import type { IndexBytes } from '@palimpsest/knowledge/plans';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import type { Bm25Settings } from './bm25-settings.ts';
import { LoadedPartitions, type Loaded } from './loaded-partitions.ts';
import { PartitionLedger } from './partition-ledger.ts';
import { Partition } from './partition/partition.ts';
import { Damaged } from './storage/damaged.ts';
import { PartitionStore } from './storage/partition-store.ts';
import { UnsyncedPartitions } from './unsynced-partitions.ts';

/** A journal is merged into the base when it is as large as the base: all merges together then cost about twice the last one. */
const JOURNAL_SHARE = 1;

/**
 * Manages partitions in memory and their files: loads them on first use, writes and syncs them, and unloads damaged ones. The caller
 * must hold the lock on the partition.
 */
export class OpenPartitions {
  readonly ledger: PartitionLedger;
  readonly loaded: LoadedPartitions;
  readonly #settings: Bm25Settings;
  readonly #unsynced = new UnsyncedPartitions();

  constructor(settings: Bm25Settings) {
    this.#settings = settings;
    this.loaded = new LoadedPartitions(settings.cacheBytes);
    this.ledger = new PartitionLedger(settings.root, (of) => this.#store(of).stamps(), settings.onDamage);
  }

  /** Returns undefined when the partition does not exist. @throws Unavailable when it is damaged, except during opening */
  async load(key: string, of: IndexPartition): Promise<Loaded | undefined> {
    this.ledger.refuseLost(key);
    const known = this.loaded.get(key);
    if (known !== undefined || !this.ledger.isUsable(key)) return known;
    return this.#noticingDamage(key, of, async () => {
      const store = this.#store(of);
      const stored = await store.load(this.#settings.kernelFromChunks);
      this.ledger.read(key, of, stored?.position);
      if (stored === undefined) return undefined;
      const { durable, isClear, ...contents } = stored;
      const loaded = { of, store, ...contents, cleanAt: 0 };
      this.loaded.set(key, loaded);
      this.ledger.reached(key, of, loaded.position);
      this.ledger.residue(key, of, isUnclean(loaded));
      // A process that died wrote it and did not sync it.
      if (!durable) this.#unsynced.inherited(key, of);
      if (isClear) await this.#compact(key, loaded);
      return loaded;
    });
  }

  /** Reads the files of a partition that was not read at opening. @throws Unavailable when they are damaged */
  async check(key: string, of: IndexPartition): Promise<void> {
    if (this.ledger.isUnread(key)) await this.#noticingDamage(key, of, () => this.#store(of).check());
  }

  async create(key: string, of: IndexPartition): Promise<Loaded> {
    await this.ledger.disclaim(of);
    const store = this.#store(of);
    await store.create();
    this.ledger.reset(key);
    const loaded: Loaded = {
      of,
      store,
      partition: new Partition(this.#settings.kernelFromChunks),
      position: START,
      baseBytes: 0,
      journalBytes: 0,
      cleanAt: 0,
    };
    this.loaded.set(key, loaded);
    return loaded;
  }

  /** Writes to the journal, then to memory. Merges a long journal into the base. */
  async write(key: string, loaded: Loaded, batch: Parameters<PartitionStore['append']>[0]): Promise<void> {
    this.#unsynced.written(key, loaded.of);
    this.ledger.changed(key, loaded.of);
    try {
      loaded.journalBytes += await loaded.store.append(batch);
    } catch (error) {
      this.#distrust(key);
      throw error;
    }
    await runCooperatively(loaded.partition.writeSteps(batch, this.#settings));
    loaded.position = batch.upTo;
    this.ledger.reached(key, loaded.of, batch.upTo);
    this.ledger.residue(key, loaded.of, isUnclean(loaded));
    await runCooperatively(loaded.partition.mergeSteps(this.#settings));
    if (loaded.journalBytes > Math.max(this.#settings.compactFromBytes, loaded.baseBytes * JOURNAL_SHARE)) await this.#compact(key, loaded);
  }

  /** Rewrites the files of a partition if they still contain removed chunks. */
  async purge(key: string, of: IndexPartition): Promise<void> {
    const loaded = await this.load(key, of);
    if (loaded === undefined || !isUnclean(loaded)) return this.ledger.residue(key, of, false);
    this.ledger.changed(key, of);
    await this.#compact(key, loaded);
  }

  bytes(key: string, of: IndexPartition): IndexBytes {
    const disk = this.#store(of)
      .stamps()
      .reduce((sum, { size }) => sum + Number(size), 0);
    return { memory: this.loaded.get(key)?.partition.bytes ?? 0, disk };
  }

  /** Partitions that are not on disk completely, or not recorded in the manifest. */
  unsynced(): readonly (readonly [string, IndexPartition])[] {
    return [...new Map([...this.#unsynced.all(), ...this.ledger.unrecorded()])];
  }

  async sync(key: string, of: IndexPartition): Promise<void> {
    if (this.#unsynced.has(key)) await this.#sync(key, of);
    this.ledger.synced(key);
  }

  async #sync(key: string, of: IndexPartition): Promise<void> {
    if (this.#unsynced.isCutOff(key)) await this.load(key, of);
    try {
      await this.#store(of).sync({ names: this.#unsynced.isInherited(key) });
    } catch (error) {
      this.#distrust(key);
      throw error;
    }
    this.#unsynced.synced(key);
  }

  async drop(key: string, of: IndexPartition): Promise<void> {
    await this.ledger.disclaim(of);
    this.#forget(key);
    await this.#store(of).remove();
    this.ledger.reset(key);
  }

  /** Takes the partition with its files from another index. The caller also holds the lock there. */
  async adopt(key: string, of: IndexPartition, from: OpenPartitions): Promise<void> {
    const loaded = await from.load(key, of);
    if (loaded === undefined) return this.drop(key, of);
    if (from.#unsynced.has(key)) await from.#sync(key, of);
    await from.ledger.disclaim(of);
    await this.ledger.disclaim(of);
    const store = this.#store(of);
    await store.replaceBy(loaded.store);
    loaded.store = store;
    from.loaded.take(key);
    from.#unsynced.forget(key);
    from.ledger.reset(key);
    this.#forget(key);
    this.ledger.reset(key);
    this.loaded.set(key, loaded);
    this.ledger.reached(key, of, loaded.position);
    this.ledger.residue(key, of, isUnclean(loaded));
    this.ledger.changed(key, of);
  }

  /** Takes a copy of the files of a partition of another index, and rewrites it if it has removed chunks. The caller also holds the lock there. */
  async copy(key: string, of: IndexPartition, from: OpenPartitions): Promise<void> {
    const original = await from.load(key, of);
    await this.drop(key, of);
    if (original === undefined) return;
    await this.#store(of).copyOf(original.store);
    const loaded = await this.load(key, of);
    this.ledger.changed(key, of);
    if (loaded !== undefined && isUnclean(loaded)) await this.#compact(key, loaded);
  }

  /** Returns undefined when the work finds damage during opening. @throws Unavailable when it finds damage later */
  async #noticingDamage<T>(key: string, of: IndexPartition, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.#forget(key);
      return this.ledger.damage(key, of, error.message);
    }
  }

  async #compact(key: string, loaded: Loaded): Promise<void> {
    await this.ledger.disclaim(loaded.of);
    loaded.baseBytes = await loaded.store.writeBase(await runCooperatively(loaded.partition.compactSteps(this.#settings)), loaded.position);
    loaded.journalBytes = 0;
    loaded.cleanAt = loaded.partition.superseded;
    this.ledger.residue(key, loaded.of, false);
    this.#unsynced.rebased(key);
  }

  /** After a failed write, only the file shows how much was written. It is read again before anything is added. */
  #distrust(key: string): void {
    this.loaded.delete(key);
    this.ledger.forget(key);
    this.#unsynced.cutOff(key);
  }

  #forget(key: string): void {
    this.loaded.delete(key);
    this.ledger.forget(key);
    this.#unsynced.forget(key);
  }

  #store(of: IndexPartition): PartitionStore {
    return new PartitionStore(this.#settings.root, of, this.#settings.keys);
  }
}

const isUnclean = ({ partition, cleanAt }: Loaded): boolean => partition.superseded > cleanAt;
