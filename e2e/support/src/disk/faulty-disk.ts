import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../platform-under-test.ts';
import { afterSuite } from '../tidy-up.ts';
import { readDiskJournal, type DiskRecord } from './disk-journal.ts';
import { backAndForth, cutPower, type Survives } from './power-cut.ts';
import { CLASSES, shim } from './shim.ts';

export type Action = 'kill-before' | 'kill-within' | 'kill-after' | 'EIO' | 'ENOSPC' | 'short';

/** What happens to the calls with this name, from the `first` to the `last`, counted from 1 since the order was set. */
export type DiskOrder = Readonly<{ action: Action; name: string; first: number; last: number }>;

/** The size of `page` in tools/disk-faults/shim/plan.c. */
const PAGE = 32 + 96 + 256 + 8;
const TEXT = 32 + 96;

/**
 * A folder on a disk that injects faults. The shim names, counts and records all writes of the processes started with `settings()`.
 * Where an order says so, it kills the process, fails the call or writes only half. The order may change while the process runs.
 */
export class FaultyDisk {
  readonly root: string;
  readonly #side: string;
  readonly #plan: number;
  #version = 0n;

  private constructor(base: string) {
    this.root = join(base, 'data');
    this.#side = join(base, 'side');
    mkdirSync(join(this.#side, 'kept'), { recursive: true });
    const plan = join(this.#side, 'plan');
    writeFileSync(plan, Buffer.alloc(PAGE));
    this.#plan = openSync(plan, 'r+');
  }

  static make(): FaultyDisk {
    const base = mkdtempSync(join(tmpdir(), 'palimpsest-disk-'));
    const disk = new FaultyDisk(base);
    afterSuite(async () => {
      closeSync(disk.#plan);
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    });
    return disk;
  }

  /** `bytes`: also record what a simulated power cut needs. */
  settings({ bytes = true } = {}): Settings {
    return {
      LD_PRELOAD: shim(),
      DISK_FAULTS_ROOT: this.root,
      DISK_FAULTS_CLASSES: CLASSES,
      DISK_FAULTS_PLAN: join(this.#side, 'plan'),
      DISK_FAULTS_JOURNAL: this.journal,
      ...(bytes ? { DISK_FAULTS_KEPT: join(this.#side, 'kept') } : {}),
      UV_USE_IO_URING: '0',
    };
  }

  /** Sets an order. Counting starts again at 1. */
  order({ action, name, first, last }: DiskOrder): void {
    this.#write(`${action}\t${first}\t${last}\t${name}\n`);
  }

  /** Removes the order: the disk works normally from now on. */
  heal(): void {
    this.#write('');
  }

  /** How many calls an order was applied to since it was set, and the name of the last one. */
  fired(): Readonly<{ count: number; name: string }> {
    const page = this.#read();
    const end = page.indexOf(0, 32);
    return { count: Number(page.readBigUInt64LE(16)), name: page.toString('utf8', 32, end < 0 ? TEXT : Math.min(end, TEXT)) };
  }

  /** The file of the disk journal. */
  get journal(): string {
    return join(this.#side, 'journal');
  }

  /** All changes since the folder was created, or since the last `forget` or power cut. */
  records(): readonly DiskRecord[] {
    return readDiskJournal(this.journal);
  }

  /** Treats the current content of the folder as durable. Only while no process runs. */
  forget(): void {
    writeFileSync(this.journal, '');
    rmSync(join(this.#side, 'kept'), { recursive: true });
    mkdirSync(join(this.#side, 'kept'));
  }

  /** Simulates a power cut. Only while no process runs. Returns the number of lost changes. */
  powerCut(survives?: Survives): number {
    const lost = cutPower(this.root, join(this.#side, 'kept'), this.records(), survives);
    this.forget();
    return lost;
  }

  /** Reverts the folder to the start of the journal. With `forwards`, it then repeats all changes from the journal. */
  replay({ forwards }: Readonly<{ forwards: boolean }>): void {
    const done = this.records().filter(({ result, operation }) => (result === 'ok' || result === 'short') && operation !== 'sync');
    backAndForth(this.root, join(this.#side, 'kept'), done, () => forwards);
  }

  #write(text: string): void {
    const bytes = Buffer.alloc(256);
    bytes.write(text);
    writeSync(this.#plan, bytes, 0, bytes.length, TEXT);
    const counters = Buffer.alloc(24);
    counters.writeBigUInt64LE((this.#version += 1n));
    // The counters of the shim are reset as well: a process that never reaches a call must not report those of the previous order.
    writeSync(this.#plan, counters, 0, counters.length, 0);
  }

  #read(): Buffer {
    const page = Buffer.alloc(PAGE);
    readSync(this.#plan, page, 0, PAGE, 0);
    return page;
  }
}
