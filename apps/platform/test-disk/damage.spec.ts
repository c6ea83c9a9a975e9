import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { differences, doneBy, lookedAt, type Looked } from '../test-crash/engine/engine-lane.ts';
import { EngineProcess, type EngineEnd } from '../test-crash/engine/engine-process.ts';
import { engineRound } from '../test-crash/engine/engine-work.ts';
import { Promises } from '../test-crash/promises.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import { eventually } from '../test/eventually.ts';
import { aDataFolder } from '../test/platform-under-test.ts';
import { damages, flip } from './damages.ts';
import { some } from './faults.ts';

const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);

/** Most damages of each kind of file. */
const DAMAGES = wholeFrom('PALIMPSEST_DISK_DAMAGES', 1_000);

/** What may come of damage: it is made again from the log, or refused at the start, or when what is damaged is needed, or told by `verify`. */
type Outcome = 'as before' | 'refused at start' | 'refused at use' | 'found by verify' | 'comes to no end' | 'silently wrong';
type Kind = Readonly<{ kind: string; path: RegExp; end?: 'sound' | 'killed'; places?: number; may: readonly Outcome[] }>;

const REFUSED: readonly Outcome[] = ['as before', 'refused at start', 'refused at use', 'found by verify'];
/** Each kind of file, by a path that all of the kind fit. `killed`: as a process left it that did not end in good order. */
const KINDS: readonly Kind[] = [
  { kind: 'the log', path: /^log\/events\.db$/, may: REFUSED },
  { kind: 'the note of the log’s end', path: /^log\/events\.db\.head$/, may: ['as before'] },
  { kind: 'the log’s write-ahead file', path: /^log\/events\.db-wal$/, end: 'killed', may: REFUSED },
  { kind: 'the queues', path: /^bus\/queues\.db$/, may: ['as before', 'refused at start'] },
  { kind: 'the queues’ write-ahead file', path: /^bus\/queues\.db-wal$/, end: 'killed', may: ['as before', 'refused at start'] },
  { kind: 'the checkpoints', path: /^bus\/checkpoints\.db$/, may: ['as before', 'refused at start'] },
  { kind: 'the checkpoints’ write-ahead file', path: /^bus\/checkpoints\.db-wal$/, end: 'killed', may: ['as before'] },
  { kind: 'the catalogue', path: /^read-models\/catalog\.db$/, places: 10, may: ['as before'] },
  { kind: 'the checksums of the catalogue’s pages', path: /^read-models\/catalog\.db-pages$/, may: ['as before'] },
  { kind: 'the catalogue’s write-ahead file', path: /^read-models\/catalog\.db-wal$/, end: 'killed', places: 10, may: ['as before'] },
  { kind: 'vectors', path: /vectors\.dat$/, may: ['as before'] },
  { kind: 'vectors that a kill left', path: /vectors\.dat$/, end: 'killed', may: ['as before'] },
  { kind: 'a lexical journal', path: /lexical\/journal$/, may: ['as before'] },
  { kind: 'a lexical journal that a kill left', path: /lexical\/journal$/, end: 'killed', may: ['as before'] },
  { kind: 'the mark of the vectors', path: /^read-models\/vectors\.synced$/, may: ['as before'] },
  { kind: 'the mark of the words', path: /^read-models\/lexical\.synced$/, may: ['as before'] },
  { kind: 'the master key', path: /^keys\/master\.key$/, may: REFUSED },
  { kind: 'the local key', path: /^keys\/local-api-key$/, may: ['as before'] },
  { kind: 'a wrapped scope key', path: /^blobs\/keys\/default\/deployment~bin$/, may: REFUSED },
  // Searches go on without uploads; what becomes of one that is needed is a test of its own.
  { kind: 'an upload', path: /^blobs\/documents\/.*~bin$/, may: ['as before'] },
];

const filesOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();

const PATIENCE_MS = 300_000;

describe(`files that were damaged at rest (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  /** Stopped in good order; and killed in the middle of work, with write-ahead files that hold what came last. */
  const folders: Record<'sound' | 'killed', string> = { sound: '', killed: '' };
  const expected: Record<'sound' | 'killed', Looked | undefined> = { sound: undefined, killed: undefined };

  const copyOf = async (folder: string): Promise<string> => {
    const data = await aDataFolder();
    cpSync(folder, data, { recursive: true });
    return data;
  };

  beforeAll(async () => {
    folders.sound = await aDataFolder();
    const promises = new Promises();
    const work = async (engine: EngineProcess, rounds: readonly number[]): Promise<void> => {
      for (const wave of rounds.flatMap((n) => engineRound(n)))
        await Promise.all(wave.map(async (step) => step.acknowledged(promises, doneBy(await engine.ask(step.order(promises))))));
    };
    const first = EngineProcess.start(folders.sound, 'one');
    await work(first, [0, 1, 2]);
    expect(await first.stop()).toMatchObject({ code: 0 });
    folders.killed = await copyOf(folders.sound);
    const second = EngineProcess.start(folders.killed, 'one');
    await work(second, [3]);
    const submit = (sourceId: string, text: string) => second.ask({ do: 'submit', sourceId, text, knowledgeBase: '', labels: {} });
    // All of them are acknowledged: what is not may be gone with a damaged end. What becomes of them is on its way.
    const onTheirWay = [4, 5, 6].map((n) => submit(`on-its-way-${n}`, `The harbour number ${n}. `.repeat(400)));
    for (const one of [...onTheirWay, submit('last', 'The last one to be acknowledged.')]) doneBy(await one);
    // The relay's checkpoint comes when it comes.
    const wanted = KINDS.filter(({ end }) => end === 'killed');
    await eventually('every write-ahead file to hold something', async () => {
      const written = filesOf(folders.killed).filter((name) => statSync(join(folders.killed, name)).size > 0);
      return wanted.every(({ path }) => written.some((name) => path.test(name))) || undefined;
    });
    await second.kill();
    for (const end of ['sound', 'killed'] as const) {
      const engine = EngineProcess.start(await copyOf(folders[end]), 'one');
      expected[end] = await lookedAt(engine);
      expect(expected[end]).toMatchObject({ clean: true, differences: [] });
      await engine.stop();
    }
  });

  const tried = async (data: string, end: 'sound' | 'killed'): Promise<Readonly<{ outcome: Outcome; told: string }>> => {
    const engine = EngineProcess.start(data, 'one');
    let hung = false;
    const watchdog = setTimeout(() => ((hung = true), void engine.kill()), PATIENCE_MS);
    try {
      if ((await engine.ready) === undefined) return { outcome: 'refused at start', told: lastWords(await engine.ended) };
      const looked = await lookedAt(engine);
      if (!looked.clean) return { outcome: 'found by verify', told: JSON.stringify([...looked.logDamage, ...looked.differences][0]) };
      const [differing] = expected[end] ? differences(looked, expected[end]) : ['there is nothing to compare with'];
      return differing === undefined ? { outcome: 'as before', told: '' } : { outcome: 'silently wrong', told: differing };
    } catch (error) {
      return { outcome: hung ? 'comes to no end' : 'refused at use', told: hung ? lastWords(await engine.ended) : String(error) };
    } finally {
      clearTimeout(watchdog);
      await engine.kill();
    }
  };

  it.each<Kind>(KINDS)('$kind: never a silently wrong answer', async ({ kind, path, end = 'sound', places, may }: Kind) => {
    const [name] = filesOf(folders[end]).filter((one) => path.test(one));
    if (name === undefined) throw new Error(`there is no file of ${kind}`);
    const unexpected: unknown[] = [];
    for (const { how, harm } of some(damages(random, places), DAMAGES, random)) {
      const data = await copyOf(folders[end]);
      const file = join(data, name);
      harm(file, statSync(file).size);
      const { outcome, told } = await tried(data, end);
      process.stdout.write(`\n${kind} with ${how}: ${outcome}${told === '' ? '' : `: ${told.slice(0, 240).replaceAll(data, '<data>')}`}`);
      const clear = outcome !== 'refused at start' || /(?:log|key|queue|checkpoint|blob)/.test(told);
      if (!may.includes(outcome) || !clear) unexpected.push({ how, outcome, told });
      rmSync(data, { recursive: true, force: true });
    }
    expect(unexpected).toEqual([]);
  });

  it('a damaged upload is refused when it is asked for again, and the document stays as it was', async () => {
    const data = await copyOf(folders.sound);
    for (const name of filesOf(data).filter((one) => /^blobs\/documents\//.test(one))) flip(join(data, name), statSync(join(data, name)).size >> 1);
    const engine = EngineProcess.start(data, 'one');
    const before = (await lookedAt(engine)).documents.find(({ status }) => status === 'indexed');
    doneBy(await engine.ask({ do: 'retry', documentId: before?.documentId ?? '' }));
    const { clean, documents } = await lookedAt(engine);
    expect(documents.find(({ documentId }) => documentId === before?.documentId)).toMatchObject({ status: 'failed', indexedVersion: before?.indexedVersion });
    expect(clean).toBe(true);
    await engine.stop();
  });
});

/** The line with which it ended. */
const lastWords = ({ stderr }: EngineEnd): string => stderr.trim().split('\n').at(-1) ?? '';
