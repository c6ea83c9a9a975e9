import { SYSTEM, type System } from '@palimpsest/foundation';
import type { CatalogRow } from '@palimpsest/knowledge/read-models';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { START, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '../read-model-runner.ts';
import { LogView, type Digests } from '../views/log-view.ts';
import type { BuildPace } from '../views/view-build.ts';
import { checkUploads } from './check-uploads.ts';
import { CompareReadModels, type VerifiableStores, type VerifiedPartition } from './compare-read-models.ts';
import type { Difference } from './difference.ts';
import { KeptView, type KeptViewOptions } from './kept-view.ts';
import { ofReadableScopes } from './readable-scopes.ts';

/**
 * `full`: what the log says was computed from all of it, and not only from what followed the previous verification. `rows`: of the
 * catalog, those that differ. `logDamage`: damage of the log itself; undefined if the log is a server. `keyDamage`, `uploadDamage`: keys
 * and uploads that are missing or cannot be opened.
 */
export type Verification = Readonly<{
  clean: boolean;
  full: boolean;
  position: Position;
  partitions: readonly VerifiedPartition[];
  differences: readonly Difference[];
  rows: readonly CatalogRow[];
  logDamage?: readonly string[];
  keyDamage?: readonly string[];
  uploadDamage?: readonly string[];
}>;

/** `full`: nothing that is kept is used. `pace`: how much it gives way to searches; default: not at all. */
export type VerifyOrder = Readonly<{ full?: boolean; pace?: BuildPace }>;

/** Checks data that only one kind of installation has, such as key files in its folder. Returns a sentence for each damaged one. */
export type CheckKeyFiles = () => Promise<readonly string[]>;

type Options = KeptViewOptions & Readonly<{ checkKeyFiles?: CheckKeyFiles }>;

/**
 * Compares the stored data of the read models with the log, chunk by chunk. All stored data is read each time; what the log says is kept
 * from one time to the next, and only newer facts are read. Writers continue; projecting is paused for each step.
 */
export class VerifyReadModels {
  readonly #stores: VerifiableStores;
  readonly #runner: ReadModelRunner;
  readonly #checkKeyFiles: CheckKeyFiles;
  readonly #compare: CompareReadModels;
  readonly #kept: KeptView;
  readonly #stopping = new AbortController();

  constructor(
    stores: VerifiableStores,
    runner: ReadModelRunner,
    digests: Digests,
    { checkKeyFiles = async () => [], ...options }: Options = {},
  ) {
    const system: System = options.system ?? SYSTEM;
    this.#stores = stores;
    this.#runner = runner;
    this.#checkKeyFiles = checkKeyFiles;
    const { signal } = this.#stopping;
    this.#compare = new CompareReadModels(stores, runner, system, signal);
    this.#kept = new KeptView(
      () => LogView.open(stores, digests, { system, signal }),
      () => runner.position(),
      options,
    );
  }

  /** If the log or a scope key is damaged, nothing can be compared. One runs at a time. */
  run({ full = false, pace }: VerifyOrder = {}): Promise<Verification> {
    return this.#kept.use(full, (view) => this.#checked(view, pace), isSound);
  }

  /** A thread of the log reads it meanwhile. */
  async #checked(view: LogView, pace?: BuildPace): Promise<Verification> {
    const [nothing, { log }] = [{ ...NOTHING, full: view.position === START, position: this.#runner.position() }, this.#stores.journal];
    const [checked, compared] = await Promise.allSettled([this.#untilStopped(log.check?.()), this.#compared(view, pace)]);
    if (checked.status === 'rejected') throw checked.reason;
    const logDamage = checked.value;
    if (logDamage !== undefined && logDamage.length > 0) return { ...nothing, logDamage };
    if (compared.status === 'rejected') throw compared.reason;
    return { ...nothing, ...(logDamage === undefined ? {} : { logDamage }), ...compared.value };
  }

  async #compared(view: LogView, pace?: BuildPace): Promise<Partial<Verification>> {
    const { journal, blobs, keys } = this.#stores;
    const scopeKeyDamage = (await keys.check?.(await this.#scopesWithDocuments())) ?? [];
    const keyDamage = [...scopeKeyDamage, ...(await this.#checkKeyFiles())];
    if (scopeKeyDamage.length > 0) return { keyDamage };
    const uploadDamage = blobs === undefined ? [] : await checkUploads(journal, blobs, keys, this.#stopping.signal);
    const compared = await this.#compare.with(view, pace);
    const differences = await ofReadableScopes(compared.differences, keys, ({ kind }) => kind === 'extra');
    const clean = differences.length + keyDamage.length + uploadDamage.length === 0;
    return { ...compared, differences, keyDamage, uploadDamage, clean };
  }

  /** Calls `work` with the view of the position of the read models, while nothing is projected. No verification runs meanwhile. */
  atView<T>(work: (view: LogView) => Promise<T>): Promise<T> {
    return this.#kept.use(false, (view) => this.#compare.whileEqual(view, () => work(view)));
  }

  /** Ends the verification in progress with Unavailable, and deletes what is kept. */
  close(): Promise<void> {
    this.#stopping.abort(new Unavailable('the process is stopping', { forCallers: true }));
    return this.#kept.close();
  }

  /** Reading a large log takes long, and nothing else ends it. */
  async #untilStopped<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    const stopped = Promise.withResolvers<undefined>();
    const stop = (): void => stopped.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([work, stopped.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
    }
  }

  async #scopesWithDocuments(): Promise<readonly TenantScope[]> {
    const { catalog } = this.#stores;
    const found: TenantScope[] = [];
    for (const { scope } of await catalog.scopes()) if ((await catalog.indexedDocuments(scope, 1)).length > 0) found.push(scope);
    return found;
  }
}

const NOTHING = { clean: false, partitions: [], differences: [], rows: [] };

/** What was read of a damaged log may be wrong. */
const isSound = ({ logDamage = [] }: Verification): boolean => logDamage.length === 0;
