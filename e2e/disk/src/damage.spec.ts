import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { differences, doneBy, readState, type EngineState } from '@palimpsest/e2e-support/crash/engine/engine-lane';
import { EngineProcess, type EngineEnd } from '@palimpsest/e2e-support/crash/engine/engine-process';
import { engineRound } from '@palimpsest/e2e-support/crash/engine/engine-work';
import { Promises } from '@palimpsest/e2e-support/crash/promises';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { damages, flip } from './damages.ts';
import { some } from './faults.ts';

const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);

/** The maximum number of damages of each type of file. */
const DAMAGES = wholeFrom('PALIMPSEST_DISK_DAMAGES', 1_000);

/** Possible outcomes of damage: rebuilt from the log, refused at the start or on use, reported by `verify`; the last two are bugs. */
type Outcome = 'as before' | 'refused at start' | 'refused on use' | 'found by verify' | 'does not end' | 'silently wrong';
type Kind = Readonly<{ kind: string; path: RegExp; end?: 'stopped' | 'killed'; places?: number; may: readonly Outcome[] }>;

const REFUSED: readonly Outcome[] = ['as before', 'refused at start', 'refused on use', 'found by verify'];
/** Each type of file, by a pattern of its path. `killed`: as a killed process left it. */
const KINDS: readonly Kind[] = [
  { kind: 'the log', path: /^log\/events\.db$/, may: REFUSED },
  { kind: 'the head file of the log', path: /^log\/events\.db\.head$/, may: ['as before'] },
  { kind: 'the write-ahead file of the log', path: /^log\/events\.db-wal$/, end: 'killed', may: REFUSED },
  { kind: 'the queues', path: /^bus\/queues\.db$/, may: ['as before', 'refused at start'] },
  {
    kind: 'the write-ahead file of the queues',
    path: /^bus\/queues\.db-wal$/,
    end: 'killed',
    places: 6,
    may: ['as before', 'refused at start'],
  },
  { kind: 'the catalog', path: /^read-models\/catalog\.db$/, places: 10, may: ['as before'] },
  { kind: 'the page checksums of the catalog', path: /^read-models\/catalog\.db-pages$/, may: ['as before'] },
  { kind: 'the write-ahead file of the catalog', path: /^read-models\/catalog\.db-wal$/, end: 'killed', places: 10, may: ['as before'] },
  { kind: 'vectors', path: /vectors\.dat$/, may: ['as before'] },
  { kind: 'vectors after a kill', path: /vectors\.dat$/, end: 'killed', may: ['as before'] },
  { kind: 'a lexical journal', path: /lexical\/journal$/, may: ['as before'] },
  { kind: 'a lexical journal after a kill', path: /lexical\/journal$/, end: 'killed', may: ['as before'] },
  { kind: 'the flush manifest of the vectors', path: /^read-models\/vectors\.synced$/, may: ['as before'] },
  { kind: 'the flush manifest of the lexical index', path: /^read-models\/lexical\.synced$/, may: ['as before'] },
  { kind: 'the master key', path: /^keys\/master\.key$/, may: REFUSED },
  { kind: 'the local key', path: /^keys\/local-api-key$/, may: ['as before'] },
  { kind: 'a wrapped scope key', path: /^blobs\/keys\/default\/deployment~bin$/, may: REFUSED },
  // Searches do not need uploads; a separate test covers a damaged upload that is needed.
  { kind: 'an upload', path: /^blobs\/documents\/.*~bin$/, may: ['as before'] },
];

const filesOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

const PATIENCE_MS = 300_000;

describe(`files that were damaged at rest (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  /** Left by a clean stop; and by a kill during work, with the latest writes in write-ahead files. */
  const folders: Record<'stopped' | 'killed', string> = { stopped: '', killed: '' };
  const expected: Record<'stopped' | 'killed', EngineState | undefined> = { stopped: undefined, killed: undefined };

  const copyOf = async (folder: string): Promise<string> => {
    const data = await aDataFolder();
    cpSync(folder, data, { recursive: true });
    return data;
  };

  beforeAll(async () => {
    folders.stopped = await aDataFolder();
    const promises = new Promises();
    const work = async (engine: EngineProcess, rounds: readonly number[]): Promise<void> => {
      for (const wave of rounds.flatMap((n) => engineRound(n)))
        await Promise.all(wave.map(async (step) => step.acknowledged(promises, doneBy(await engine.ask(step.order(promises))))));
    };
    const first = EngineProcess.start(folders.stopped, 'one');
    await work(first, [0, 1, 2]);
    expect(await first.stop()).toMatchObject({ code: 0 });
    folders.killed = await copyOf(folders.stopped);
    const second = EngineProcess.start(folders.killed, 'one');
    await work(second, [3]);
    const submit = (sourceId: string, text: string) => second.ask({ do: 'submit', sourceId, text, knowledgeBase: '', labels: {} });
    // All of them are acknowledged, because others may be lost with a damaged end. Their processing has not finished.
    const inProgress = [4, 5, 6].map((n) => submit(`in-progress-${n}`, `The harbour number ${n}. `.repeat(400)));
    for (const one of [...inProgress, submit('last', 'The last one to be acknowledged.')]) doneBy(await one);
    const wanted = KINDS.filter(({ end }) => end === 'killed');
    await eventually('every write-ahead file has content', async () => {
      const written = filesOf(folders.killed).filter((name) => statSync(join(folders.killed, name)).size > 0);
      return wanted.every(({ path }) => written.some((name) => path.test(name))) || undefined;
    });
    await second.kill();
    for (const end of ['stopped', 'killed'] as const) {
      const engine = EngineProcess.start(await copyOf(folders[end]), 'one');
      expected[end] = await readState(engine);
      expect(expected[end]).toMatchObject({ clean: true, differences: [] });
      await engine.stop();
    }
  });

  const start = async (data: string, end: 'stopped' | 'killed'): Promise<Readonly<{ outcome: Outcome; message: string }>> => {
    const engine = EngineProcess.start(data, 'one');
    let hung = false;
    const watchdog = setTimeout(() => ((hung = true), void engine.kill()), PATIENCE_MS);
    try {
      if ((await engine.ready) === undefined) return { outcome: 'refused at start', message: lastLine(await engine.ended) };
      const state = await readState(engine);
      if (!state.clean) return { outcome: 'found by verify', message: JSON.stringify([...state.logDamage, ...state.differences][0]) };
      const [differing] = expected[end] ? differences(state, expected[end]) : ['there is nothing to compare with'];
      return differing === undefined ? { outcome: 'as before', message: '' } : { outcome: 'silently wrong', message: differing };
    } catch (error) {
      return { outcome: hung ? 'does not end' : 'refused on use', message: hung ? lastLine(await engine.ended) : String(error) };
    } finally {
      clearTimeout(watchdog);
      await engine.kill();
    }
  };

  it.each<Kind>(KINDS)('$kind: never silently wrong', async ({ kind, path, end = 'stopped', places, may }: Kind) => {
    const [name] = filesOf(folders[end]).filter((one) => path.test(one));
    if (name === undefined) throw new Error(`no file found for ${kind}`);
    const unexpected: unknown[] = [];
    for (const { how, harm } of some(damages(random, places), DAMAGES, random)) {
      const data = await copyOf(folders[end]);
      const file = join(data, name);
      harm(file, statSync(file).size);
      const { outcome, message } = await start(data, end);
      process.stdout.write(
        `\n${kind} with ${how}: ${outcome}${message === '' ? '' : `: ${message.slice(0, 240).replaceAll(data, '<data>')}`}`,
      );
      const clear = outcome !== 'refused at start' || /(?:log|key|queue|checkpoint|blob)/.test(message);
      if (!may.includes(outcome) || !clear) unexpected.push({ how, outcome, message });
      rmSync(data, { recursive: true, force: true });
    }
    expect(unexpected).toEqual([]);
  });

  it('a damaged upload makes a retry fail, and the document stays indexed as before', async () => {
    const data = await copyOf(folders.stopped);
    for (const name of filesOf(data).filter((one) => /^blobs\/documents\//.test(one)))
      flip(join(data, name), statSync(join(data, name)).size >> 1);
    const engine = EngineProcess.start(data, 'one');
    const before = (await readState(engine)).documents.find(({ status }) => status === 'indexed');
    doneBy(await engine.ask({ do: 'retry', documentId: before?.documentId ?? '' }));
    const { clean, documents } = await readState(engine);
    expect(documents.find(({ documentId }) => documentId === before?.documentId)).toMatchObject({
      status: 'failed',
      indexedVersion: before?.indexedVersion,
    });
    expect(clean).toBe(true);
    await engine.stop();
  });
});

/** The last line that the process printed. */
const lastLine = ({ stderr }: EngineEnd): string => stderr.trim().split('\n').at(-1) ?? '';
