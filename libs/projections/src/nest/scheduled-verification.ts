import type { Cancel, System } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { OnFault, Task } from '@palimpsest/runtime';
import { RebuildPace, type Readers } from '../rebuilds/rebuild-pace.ts';
import type { VerificationSettings } from '../verification/administer-verification.ts';
import type { RepairReadModels } from '../verification/repair-read-models.ts';
import type { Verifications } from '../verification/verifications.ts';
import type { VerifyReadModels } from '../verification/verify-read-models.ts';

const HOUR_MS = 3_600_000;
/** When the read models are being built: the next attempt. */
const LATER_MS = 10 * 60_000;
/** Who repairs, in the event of a repair that no person asked for. */
const SCHEDULE = 'scheduled-verification';

type Parts = Readonly<{
  settings: VerificationSettings;
  verify: Pick<VerifyReadModels, 'close'>;
  verifications: Verifications;
  repair: Pick<RepairReadModels, 'run'>;
  /** Whether the read models are complete, and no rebuild runs. */
  isReady: () => boolean;
  /** Whom it gives way to. */
  readers: Readers;
  onFault: OnFault;
  system: System;
}>;

/** Verifies from time to time, so that damage is found before someone misses a document. Gives way to searches. */
export class ScheduledVerification implements Task {
  readonly #parts: Parts;
  #timer: Cancel | undefined;
  #running: Promise<void> | undefined;
  #stopped = true;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The first one is soon, also in a process that is started often: after 30 to 90 minutes, or of a shorter interval. */
  start(): void {
    this.#stopped = false;
    const { everyHours } = this.#parts.settings;
    if (everyHours > 0) this.#after(Math.min(1, everyHours) * HOUR_MS, 0.5);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.();
    await this.#parts.verify.close();
    await this.#running;
  }

  /** Several processes do not verify at the same time. `spread`: how far the time may be from `ms`, as a share of it. */
  #after(ms: number, spread: number): void {
    const { random, scheduler } = this.#parts.system;
    if (this.#stopped) return;
    this.#timer = scheduler.after(ms * (1 - spread + 2 * spread * random.next()), () => void (this.#running = this.#run()), {
      background: true,
    });
  }

  async #run(): Promise<void> {
    const { settings, isReady, onFault } = this.#parts;
    if (!isReady()) return this.#after(LATER_MS, 0.1);
    try {
      await this.#verify();
    } catch (error) {
      if (!this.#stopped) onFault(error, 'verifying the read models');
    }
    this.#after(settings.everyHours * HOUR_MS, 0.1);
  }

  async #verify(): Promise<void> {
    const { settings, verifications, repair, readers, onFault, system } = this.#parts;
    const pace = new RebuildPace(undefined, readers, system);
    const { clean, differences } = await verifications.run('scheduled', { pace });
    if (clean) return;
    onFault(
      new Corrupt(`a verification found ${differences.length} differences and further damage, if any: see GET /v1/admin/verify`),
      'verifying the read models',
    );
    if (settings.repair === 'auto' && differences.length > 0)
      await repair.run({ by: SCHEDULE, correlationId: system.ids.next(), trigger: 'scheduled', pace });
  }
}
