import type { Journal } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { nextTurn, type FolderSearch, type Probe, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { keyOf, nameOf, type Erased } from './log-records.ts';
import { takeSamples, type Sample } from './samples.ts';

/** The files that this process writes. `which` says in a receipt which files these are. */
export type LocalFiles = Readonly<{ which: string; search: (probes: readonly Probe[], signal: AbortSignal) => Promise<FolderSearch> }>;

type Ports = Readonly<{
  journal: Journal;
  keys: Pick<ScopeKeys, 'cipher'>;
  system: Pick<System, 'scheduler'>;
  /** Missing in a process that writes no files. */
  localFiles?: LocalFiles;
}>;

export type ResidueScan = NonNullable<ErasureReceipt['residueScan']>;

const NOTHING_TO_READ = 'there was nothing to read: no documents, or their key had been destroyed before';

/** Events that are read before other work runs. */
const IN_ONE_TURN = 256;

/**
 * Looks in the files of this process for what an erased scope said, or what was said about a person. Samples of it are taken before its key is destroyed, and kept in memory
 * only. So there is no scan after a restart in between: the receipt says so.
 */
export class ResidueScans {
  readonly #ports: Ports;
  readonly #samples = new Map<string, Promise<readonly Sample[] | string>>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Takes samples, once for each erasure. An erasure never fails because of it. */
  async prepare(of: Erased): Promise<void> {
    if (this.#ports.localFiles === undefined) return;
    const samples =
      this.#samples.get(keyOf(of)) ??
      takeSamples(this.#ports, of).then(
        (taken) => (taken.length > 0 ? taken : NOTHING_TO_READ),
        () => 'its documents could not be read',
      );
    this.#samples.set(keyOf(of), samples);
    await samples;
  }

  forget(of: Erased): void {
    this.#samples.delete(keyOf(of));
  }

  /** @throws Unavailable if something is left */
  async scan(of: Erased, signal: AbortSignal): Promise<ResidueScan> {
    const { localFiles } = this.#ports;
    if (localFiles === undefined) return none('this process writes no files');
    const samples = await (this.#samples.get(keyOf(of)) ?? 'the process was restarted after the key was destroyed, or another one did it');
    if (typeof samples === 'string') return none(samples);
    if (samples.length === 0) return none('the scope had no documents with distinctive texts');
    const probes = samples.flatMap((sample) => sample.probes);
    const { files, bytes, found } = await localFiles.search(probes, signal);
    const left = await this.#notSaidElsewhere(
      samples.filter(({ name }) => found.has(name)),
      signal,
    );
    if (left.length > 0) {
      const where = [...new Set(left.flatMap(({ name }) => found.get(name) ?? []))].join(', ');
      throw new Unavailable(`${left.length} of ${samples.length} samples of ${nameOf(of)} are still in files: ${where}`);
    }
    return { secrets: samples.length, files, bytes, found: 0, detail: localFiles.which };
  }

  /** Without what the log says outside of the scope: documents of two scopes may have the same title. Texts of passages are sealed everywhere. */
  async #notSaidElsewhere(found: readonly Sample[], signal: AbortSignal): Promise<readonly Sample[]> {
    const { journal, system } = this.#ports;
    let left = found;
    const batches = journal.readBatches({ batch: () => IN_ONE_TURN, isSkipped: ({ type }) => type.startsWith('KnowledgeChunk') });
    if (left.some(({ text }) => text !== undefined))
      for await (const { facts } of batches) {
        signal.throwIfAborted();
        const said = JSON.stringify(facts.map(({ event, metadata }) => [event.data, metadata]));
        left = left.filter(({ text }) => text === undefined || !said.includes(text));
        await nextTurn(system.scheduler);
      }
    return left;
  }
}

const none = (why: string): ResidueScan => ({ secrets: 0, files: 0, bytes: 0, found: 0, detail: `no scan: ${why}` });
