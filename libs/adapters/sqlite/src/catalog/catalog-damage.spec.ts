import { mkdtemp, rm } from 'node:fs/promises';
import { closeSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { START, Unavailable } from '@palimpsest/knowledge';
import { everything, inAnotherFolder, leftBy, toldUpTo, type FilesAtRest } from '../../test/catalog-history.ts';
import { PageFolding } from './page-folding.ts';
import { openSqliteCatalog, type SqliteCatalog } from './sqlite-catalog.ts';

type State = Awaited<ReturnType<typeof everything>>;

const DOCUMENTS = 14;
const flipped = (bytes: Buffer, at: number, mask: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ mask, at);
  return changed;
};
const folded = (file: string): void => {
  const folding = new PageFolding(file);
  folding.fold();
  folding.close();
};

describe('a catalogue whose files changed while nobody looked', () => {
  /** After each position. */
  const states: State[] = [];
  /** As they lie there after a stop in good order, and after kills: nothing folded, some of it, all of it, and the write-ahead file begun anew. */
  const lying: Record<string, FilesAtRest> = {};
  let empty: State;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-damage-'));
    const file = join(folder, 'catalog.db');
    const catalog = await openSqliteCatalog({ file });
    empty = await everything(catalog, DOCUMENTS);
    const upTo = async (n: number): Promise<void> => {
      while ((await catalog.position()) < n) {
        await toldUpTo(catalog, Number(await catalog.position()) + 1);
        states.push(await everything(catalog, DOCUMENTS));
      }
    };
    await upTo(4);
    lying['killed, nothing folded'] = leftBy(file);
    folded(file);
    lying['killed, all folded'] = leftBy(file);
    await upTo(7);
    lying['killed, the write-ahead file begun anew'] = leftBy(file);
    // Taken into the database half: what a kill amid a checkpoint leaves.
    folded(file);
    const [before, after] = [lying['killed, the write-ahead file begun anew'].get(''), leftBy(file)];
    const [old, all] = [before ?? Buffer.alloc(0), after.get('') ?? Buffer.alloc(0)];
    lying['killed amid a folding'] = new Map([...after, ['', Buffer.concat([all.subarray(0, old.length >> 1), old.subarray(old.length >> 1)])]]);
    await upTo(DOCUMENTS);
    await catalog.close();
    lying['stopped in good order'] = leftBy(file);
    await rm(folder, { recursive: true });
  });

  const found = (files: FilesAtRest): Promise<Readonly<{ state: State; emptied: readonly string[]; refused: boolean }>> =>
    inAnotherFolder(files, async (file) => {
      const emptied: string[] = [];
      const catalog = await openSqliteCatalog({ file, onEmptied: (reason) => emptied.push(reason) });
      try {
        return { state: await everything(catalog, DOCUMENTS), emptied, refused: false };
      } finally {
        await catalog.close();
      }
    });
  /** It is what it was at its position, or was emptied and says so. */
  const expectTruth = ({ state, emptied }: Awaited<ReturnType<typeof found>>): void => {
    if (emptied.length > 0) expect(state).toEqual(empty);
    else expect(state).toEqual(state.position === START ? empty : states[Number(state.position) - 1]);
  };
  const KINDS = ['stopped in good order', 'killed, nothing folded', 'killed, all folded', 'killed, the write-ahead file begun anew', 'killed amid a folding'];

  it.each(KINDS)('%s: is what it was when nothing changed', async (kind) => {
    const { state, emptied } = await found(lying[kind] ?? new Map());
    const last = kind === 'stopped in good order' ? DOCUMENTS : kind.endsWith('folded') ? 4 : 7;
    expect({ state, emptied }).toEqual({ state: states[last - 1], emptied: [] });
  });

  it.each(KINDS)('%s: never shows what was not so, whatever byte of whatever file is flipped', async (kind) => {
    const files = lying[kind] ?? new Map<string, Buffer>();
    const names = [...files.keys()];
    expect(names).toEqual(expect.arrayContaining(['', '-pages']));
    let emptied = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.integer({ min: 1, max: 255 }), async (name, where, mask) => {
        const bytes = files.get(name) ?? Buffer.alloc(0);
        const after = await found(new Map([...files, [name, flipped(bytes, Math.floor(where * bytes.length), mask)]]));
        expectTruth(after);
        emptied += after.emptied.length;
      }),
      { numRuns: 60 },
    );
    expect(emptied).toBeGreaterThan(0);
  }, 300_000);

  it.each(KINDS)('%s: never shows what was not so, wherever a file ends, or a page is another one of the same file', async (kind) => {
    const files = lying[kind] ?? new Map<string, Buffer>();
    for (const [name, bytes] of files) {
      const pages = Math.floor(bytes.length / 4096);
      for (let page = 0; page <= pages; page += Math.max(1, Math.floor(pages / 6))) expectTruth(await found(new Map([...files, [name, bytes.subarray(0, page * 4096)]])));
      if (pages < 3) continue;
      const swapped = Buffer.concat([bytes.subarray(0, 4096), bytes.subarray(8192, 12_288), bytes.subarray(4096, 8192), bytes.subarray(12_288)]);
      expectTruth(await found(new Map([...files, [name, swapped]])));
    }
  }, 300_000);

  it('tells that frames are missing behind those that were taken in: SQLite would read old pages beside new ones', async () => {
    const files = lying['killed, all folded'] ?? new Map<string, Buffer>();
    const wal = files.get('-wal') ?? Buffer.alloc(0);
    const { emptied } = await found(new Map([...files, ['-wal', flipped(wal, wal.length - 10, 1)]]));
    expect(emptied).toEqual([expect.stringMatching(/^the write-ahead file ends after \d+ of \d+ frames$/)]);
  });

  it('takes none whose checksums are missing', async () => {
    const files = new Map(lying['stopped in good order']);
    files.delete('-pages');
    const after = await found(files);
    expect([after.emptied.length, after.state]).toEqual([1, empty]);
  });
});

describe('a catalogue that is open', () => {
  let folder: string;
  let file: string;
  let catalog: SqliteCatalog;
  let damage: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-open-'));
    file = join(folder, 'catalog.db');
    damage = [];
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    await toldUpTo(catalog, DOCUMENTS);
    folded(file);
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

  it('is as good as it was after a look at all of it', async () => {
    await catalog.check({ atOnce: true });
    await toldUpTo(catalog, DOCUMENTS + 3);
    await catalog.check({ atOnce: true });
    expect(damage).toEqual([]);
    expect(Number((await everything(catalog, DOCUMENTS)).position)).toBe(DOCUMENTS + 3);
  });

  it('refuses everything once a look met a page of the write-ahead file that changed, and begins anew with a reset', async () => {
    flipOnDisk(`${file}-wal`, statSync(`${file}-wal`).size - 100);
    await catalog.check({ atOnce: true });
    expect(damage).toHaveLength(1);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(Unavailable);
    await expect(toldUpTo(catalog, DOCUMENTS + 1)).rejects.toThrow(/the catalogue is damaged, and is made again from the log: the write-ahead file ends/);
    await catalog.reset();
    expect(await catalog.position()).toBe(START);
    await toldUpTo(catalog, DOCUMENTS);
    await catalog.check({ atOnce: true });
    expect(damage).toHaveLength(1);
  });

  it('meets a page of the database that changed, and tells it to verify', async () => {
    await catalog.close();
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    flipOnDisk(file, statSync(file).size - 100);
    const rows: unknown[] = [];
    for await (const row of catalog.rows()) rows.push(row);
    expect(rows[0]).toMatchObject({ table: 'structure', key: expect.stringMatching(/^page \d+ of \d+ was changed$/) });
    await catalog.check({ atOnce: true });
    expect(damage).toEqual([expect.stringMatching(/^page \d+ of \d+ was changed$/)]);
  });

  it('refuses everything when SQLite itself meets damage, and tells it once', async () => {
    await catalog.close();
    catalog = await openSqliteCatalog({ file, onDamage: (reason) => damage.push(reason) });
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(statSync(file).size - 8192, 0x7f), 0, undefined, 8192);
    closeSync(handle);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(Unavailable);
    await expect(everything(catalog, DOCUMENTS)).rejects.toThrow(/made again from the log/);
    expect(damage).toEqual([expect.stringMatching(/malformed/)]);
    await catalog.reset();
    await toldUpTo(catalog, DOCUMENTS);
    expect(Number((await everything(catalog, DOCUMENTS)).position)).toBe(DOCUMENTS);
  });

  it('lets others have their turn while its structure is checked', async () => {
    let turns = 0;
    const turn = (): void => void (turns++, (immediate = setImmediate(turn)));
    let immediate = setImmediate(turn);
    const rows = catalog.rows()[Symbol.asyncIterator]();
    await rows.next();
    clearImmediate(immediate);
    await rows.return?.();
    expect(turns).toBeGreaterThan(0);
  });

  it('is found as it was by the next process, however it wrote, folded and was killed', async () => {
    const steps = fc.array(fc.constantFrom('write', 'write much', 'fold', 'kill', 'stop'), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) =>
        inAnotherFolder(new Map(), async (own) => {
          const emptied: string[] = [];
          const options = { onEmptied: (reason: string) => emptied.push(reason) };
          const spare = await (await openSqliteCatalog({ file: `${own}.other` })).spare();
          const open: SqliteCatalog[] = [];
          let current = await openSqliteCatalog({ file: own, ...options });
          open.push(current);
          let at = own;
          let n = 0;
          for (const [i, step] of [...history, 'kill'].entries()) {
            if (step.startsWith('write')) await toldUpTo(current, (n += step === 'write' ? 1 : 9), 20);
            else if (step === 'fold') folded(at);
            else {
              if (step === 'stop') await current.close();
              const files = leftBy(at);
              at = `${own}.${i}`;
              for (const [ending, bytes] of files) writeFileSync(`${at}${ending}`, bytes);
              current = await openSqliteCatalog({ file: at, ...options });
              open.push(current);
            }
          }
          await toldUpTo(spare, n, 20);
          expect(emptied).toEqual([]);
          expect(await everything(current, n)).toEqual(await everything(spare, n));
          for (const one of open) await one.close();
          await spare.close();
        }),
      ),
      { numRuns: 25 },
    );
  }, 300_000);
});
