import { mkdtemp, rm } from 'node:fs/promises';
import { closeSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { START } from '@palimpsest/knowledge/values';
import { everything, inTemporaryFolder, filesAfterKill, applyUpTo, type FilesAtRest } from '../../test/catalog-history.ts';
import { PAGE_BYTES as PAGE } from './catalog-schema.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';
import { openSqliteCatalog } from './open-sqlite-catalog.ts';
import type { SqliteCatalog } from './sqlite-catalog.ts';

type State = Awaited<ReturnType<typeof everything>>;

const DOCUMENTS = 14;
const flipped = (bytes: Buffer, at: number, mask: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ mask, at);
  return changed;
};
const checkpoint = (file: string): void => {
  const checkpointer = new WalCheckpointer(file);
  checkpointer.checkpoint();
  checkpointer.close();
};

describe('a catalog whose files changed while it was closed', () => {
  /** The state after each position. */
  const states: State[] = [];
  /** The files after a regular stop, and after kills: without a checkpoint, during one, after one, and with a new write-ahead file. */
  const filesOf: Record<string, FilesAtRest> = {};
  let empty: State;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-damage-'));
    const file = join(folder, 'catalog.db');
    const catalog = await openSqliteCatalog({ file });
    empty = await everything(catalog, DOCUMENTS);
    const upTo = async (n: number): Promise<void> => {
      while ((await catalog.position()) < n) {
        await applyUpTo(catalog, Number(await catalog.position()) + 1);
        states.push(await everything(catalog, DOCUMENTS));
      }
    };
    await upTo(4);
    filesOf['killed before a checkpoint'] = filesAfterKill(file);
    checkpoint(file);
    filesOf['killed after a checkpoint'] = filesAfterKill(file);
    await upTo(7);
    filesOf['killed, new write-ahead file'] = filesAfterKill(file);
    checkpoint(file);
    // The checksums are those after the checkpoint, and half of the new pages are in the database.
    const [before, after] = [filesOf['killed, new write-ahead file'], filesAfterKill(file)];
    const [old, all] = [before.get('') ?? Buffer.alloc(0), after.get('') ?? Buffer.alloc(0)];
    filesOf['killed during a checkpoint'] = new Map([
      ...after,
      ['-wal', before.get('-wal') ?? Buffer.alloc(0)],
      ['', Buffer.concat([all.subarray(0, old.length >> 1), old.subarray(old.length >> 1)])],
    ]);
    await upTo(DOCUMENTS);
    await catalog.close();
    filesOf['stopped'] = filesAfterKill(file);
    await rm(folder, { recursive: true });
  });

  const found = (files: FilesAtRest): Promise<Readonly<{ state: State; emptied: readonly string[]; refused: boolean }>> =>
    inTemporaryFolder(files, async (file) => {
      const emptied: string[] = [];
      const catalog = await openSqliteCatalog({ file, onEmptied: (reason) => emptied.push(reason) });
      try {
        return { state: await everything(catalog, DOCUMENTS), emptied, refused: false };
      } finally {
        await catalog.close();
      }
    });
  /** The catalog has its state of that position, or it was emptied and reports that. */
  const expectCorrectOrEmptied = ({ state, emptied }: Awaited<ReturnType<typeof found>>): void => {
    if (emptied.length > 0) expect(state).toEqual(empty);
    else expect(state).toEqual(state.position === START ? empty : states[Number(state.position) - 1]);
  };
  const KINDS = [
    'stopped',
    'killed before a checkpoint',
    'killed after a checkpoint',
    'killed, new write-ahead file',
    'killed during a checkpoint',
  ];

  it.each(KINDS)('%s: keeps its state when nothing changed', async (kind) => {
    const { state, emptied } = await found(filesOf[kind] ?? new Map());
    const last = kind === 'stopped' ? DOCUMENTS : /(?:before|after) a checkpoint$/.test(kind) ? 4 : 7;
    expect({ state, emptied }).toEqual({ state: states[last - 1], emptied: [] });
  });

  it.each(KINDS)('%s: never returns wrong data when any byte of any file is flipped', async (kind) => {
    const files = filesOf[kind] ?? new Map<string, Buffer>();
    const names = [...files].filter(([, bytes]) => bytes.length > 0).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['', '-pages']));
    let emptied = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (name, where, mask) => {
          const bytes = files.get(name) ?? Buffer.alloc(0);
          const after = await found(new Map([...files, [name, flipped(bytes, Math.floor(where * bytes.length), mask)]]));
          expectCorrectOrEmptied(after);
          emptied += after.emptied.length;
        },
      ),
      { numRuns: 60 },
    );
    expect(emptied).toBeGreaterThan(0);
  });

  it.each(KINDS)('%s: never returns wrong data when a file is truncated anywhere or two of its pages are swapped', async (kind) => {
    const files = filesOf[kind] ?? new Map<string, Buffer>();
    for (const [name, bytes] of files) {
      const pages = Math.floor(bytes.length / PAGE);
      for (let page = 0; page <= pages; page += Math.max(1, Math.floor(pages / 6)))
        expectCorrectOrEmptied(await found(new Map([...files, [name, bytes.subarray(0, page * PAGE)]])));
      if (pages < 3) continue;
      const swapped = Buffer.concat([
        bytes.subarray(0, PAGE),
        bytes.subarray(2 * PAGE, 3 * PAGE),
        bytes.subarray(PAGE, 2 * PAGE),
        bytes.subarray(3 * PAGE),
      ]);
      expectCorrectOrEmptied(await found(new Map([...files, [name, swapped]])));
    }
  });

  it('reports missing frames of a checkpoint that had begun: SQLite would read a mix of old and new pages', async () => {
    const files = filesOf['killed during a checkpoint'] ?? new Map<string, Buffer>();
    const wal = files.get('-wal') ?? Buffer.alloc(0);
    const { emptied } = await found(new Map([...files, ['-wal', flipped(wal, wal.length - 10, 1)]]));
    expect(emptied).toEqual([expect.stringMatching(/^the write-ahead file ends after \d+ of \d+ frames$/)]);
  });

  it('never returns wrong data when any of 300 bytes of a larger catalog is flipped', async () => {
    const documents = 200;
    const { files, whole } = await inTemporaryFolder(new Map(), async (file) => {
      const catalog = await openSqliteCatalog({ file });
      await applyUpTo(catalog, documents);
      const before = await everything(catalog, documents);
      await catalog.close();
      return { files: filesAfterKill(file), whole: before };
    });
    const database = files.get('') ?? Buffer.alloc(0);
    const outcomes = { emptied: 0, intact: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(database.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) =>
        inTemporaryFolder(new Map([...files, ['', flipped(database, at, mask)]]), async (file) => {
          const emptied: string[] = [];
          const catalog = await openSqliteCatalog({ file, onEmptied: (reason) => emptied.push(reason) });
          try {
            // An empty catalog answers as one that the log is still read into; every other answer must be the undamaged one.
            if (emptied.length === 0) expect(await everything(catalog, documents)).toEqual(whole);
            else expect([await catalog.position(), await catalog.chunkCount(), await catalog.scopes()]).toEqual([START, 0, []]);
            outcomes[emptied.length === 0 ? 'intact' : 'emptied']++;
          } finally {
            await catalog.close();
          }
        }),
      ),
      { numRuns: 300, seed: 28, endOnFailure: true },
    );
    expect(outcomes).toEqual({ emptied: 300, intact: 0 });
  });

  it('does not open a file whose checksums are missing', async () => {
    const files = new Map(filesOf['stopped']);
    files.delete('-pages');
    const after = await found(files);
    expect([after.emptied.length, after.state]).toEqual([1, empty]);
  });
});

describe('an open catalog', () => {
  let folder: string;
  let file: string;
  let catalog: SqliteCatalog;
  let damage: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-open-'));
    file = join(folder, 'catalog.db');
    damage = [];
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    await applyUpTo(catalog, DOCUMENTS);
    checkpoint(file);
  });

  afterEach(async () => {
    await catalog.close();
    await rm(folder, { recursive: true });
  });

  const flipOnDisk = (name: string, at: number): void => {
    const handle = openSync(name, 'r+');
    const byte = Buffer.alloc(1);
    readSync(handle, byte, 0, 1, at);
    writeSync(handle, Buffer.of(byte.readUInt8(0) ^ 1), 0, 1, at);
    closeSync(handle);
  };

  it('reports no damage after a check of all pages', async () => {
    await catalog.check({ urgent: true });
    await applyUpTo(catalog, DOCUMENTS + 3);
    await catalog.check({ urgent: true });
    expect(damage).toEqual([]);
    expect(Number((await everything(catalog, DOCUMENTS)).position)).toBe(DOCUMENTS + 3);
  });

  it('is intact after writes that arrive during checkpoints', async () => {
    let n = DOCUMENTS;
    for (let round = 0; round < 20; round++) {
      await applyUpTo(catalog, ++n);
      const purged = catalog.purge();
      for (let i = 0; i < 5; i++) {
        await sleep(1);
        await applyUpTo(catalog, ++n, 20);
      }
      await purged;
    }
    await catalog.check({ urgent: true });
    expect(damage).toEqual([]);
    const at = `${file}.killed`;
    for (const [ending, bytes] of filesAfterKill(file)) writeFileSync(`${at}${ending}`, bytes);
    const next = await openSqliteCatalog({ file: at, onEmptied: (reason) => damage.push(reason) });
    expect(await everything(next, n)).toEqual(await everything(catalog, n));
    expect(damage).toEqual([]);
    await next.close();
  });

  it('refuses all calls once a checkpoint found a changed page in the write-ahead file, and works again after a reset', async () => {
    await applyUpTo(catalog, DOCUMENTS + 1);
    flipOnDisk(`${file}-wal`, statSync(`${file}-wal`).size - 100);
    await catalog.purge();
    expect(damage).toHaveLength(1);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(Unavailable);
    await expect(applyUpTo(catalog, DOCUMENTS + 2)).rejects.toThrow(
      /the catalog is damaged and is being rebuilt from the log: frame \d+ of \d+ in the write-ahead file was changed/,
    );
    await catalog.reset();
    expect(await catalog.position()).toBe(START);
    await applyUpTo(catalog, DOCUMENTS);
    await catalog.check({ urgent: true });
    expect(damage).toHaveLength(1);
  });

  it('detects a changed page of the database and reports it to verify', async () => {
    await catalog.close();
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    flipOnDisk(file, statSync(file).size - 100);
    const rows: unknown[] = [];
    for await (const row of catalog.rows()) rows.push(row);
    expect(rows[0]).toMatchObject({ table: 'structure', key: expect.stringMatching(/^page \d+ of \d+ was changed$/) });
    await catalog.check({ urgent: true });
    expect(damage).toEqual([expect.stringMatching(/^page \d+ of \d+ was changed$/)]);
  });

  it('refuses all calls when SQLite itself detects damage, and reports it once', async () => {
    await catalog.close();
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(statSync(file).size - 2 * PAGE, 0x7f), 0, undefined, 2 * PAGE);
    closeSync(handle);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(Unavailable);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(/rebuilt from the log/);
    expect(damage).toEqual([expect.stringMatching(/malformed/)]);
    await catalog.reset();
    await applyUpTo(catalog, DOCUMENTS);
    expect(Number((await everything(catalog, DOCUMENTS)).position)).toBe(DOCUMENTS);
  });

  it('does not block the event loop while its structure is checked', async () => {
    let turns = 0;
    const turn = (): void => void (turns++, (immediate = setImmediate(turn)));
    let immediate = setImmediate(turn);
    const rows = catalog.rows()[Symbol.asyncIterator]();
    await rows.next();
    clearImmediate(immediate);
    await rows.return?.();
    expect(turns).toBeGreaterThan(0);
  });

  it('is intact for the next process after any sequence of writes, checkpoints, kills and stops', async () => {
    const steps = fc.array(fc.constantFrom('write', 'write much', 'checkpoint', 'kill', 'stop'), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) =>
        inTemporaryFolder(new Map(), async (own) => {
          const emptied: string[] = [];
          const options = { onEmptied: (reason: string) => emptied.push(reason) };
          const scratch = await (await openSqliteCatalog({ file: `${own}.other` })).createScratch();
          const open: SqliteCatalog[] = [];
          let current = await openSqliteCatalog({ file: own, ...options });
          open.push(current);
          let at = own;
          let n = 0;
          for (const [i, step] of [...history, 'kill'].entries()) {
            if (step.startsWith('write')) await applyUpTo(current, (n += step === 'write' ? 1 : 9), 20);
            else if (step === 'checkpoint') checkpoint(at);
            else {
              if (step === 'stop') await current.close();
              const files = filesAfterKill(at);
              at = `${own}.${i}`;
              for (const [ending, bytes] of files) writeFileSync(`${at}${ending}`, bytes);
              current = await openSqliteCatalog({ file: at, ...options });
              open.push(current);
            }
          }
          await applyUpTo(scratch, n, 20);
          expect(emptied).toEqual([]);
          expect(await everything(current, n)).toEqual(await everything(scratch, n));
          for (const one of open) await one.close();
          await scratch.close();
        }),
      ),
      { numRuns: 25 },
    );
  });
});
