import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@palimpsest/client';
import { Lane } from '../test-crash/lane.ts';
import { settled, UNSPEAKABLE } from '../test-crash/work.ts';
import { visibleState } from '../test-crash/state.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest, type Settings } from '../test/platform-under-test.ts';

/** Each kind of file, by a path that all of the kind fit. */
const KINDS: readonly Readonly<{ kind: string; path: RegExp }>[] = [
  { kind: 'the log', path: /^log\/events\.db$/ },
  { kind: 'the log’s write-ahead file', path: /^log\/events\.db-wal$/ },
  { kind: 'the queues', path: /^bus\/queues\.db$/ },
  { kind: 'the checkpoints', path: /^bus\/checkpoints\.db$/ },
  { kind: 'the catalogue', path: /^read-models\/catalog\.db$/ },
  { kind: 'vectors', path: /vectors\.dat$/ },
  { kind: 'a lexical journal', path: /lexical\/journal$/ },
  { kind: 'the master key', path: /^keys\/master\.key$/ },
  { kind: 'the local key', path: /^keys\/local-api-key$/ },
  { kind: 'a wrapped scope key', path: /^blobs\/keys\/default\/deployment~bin$/ },
  { kind: 'an upload', path: /^blobs\/documents\/.*~bin$/ },
];

type Damage = Readonly<{ how: string; do: (path: string, size: number) => void }>;
const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x15, at);
  writeFileSync(path, bytes);
};
const DAMAGES: readonly Damage[] = [
  { how: 'a byte of the header flipped', do: (path) => flip(path, 5) },
  { how: 'a byte in the middle flipped', do: (path, size) => flip(path, size >> 1) },
  { how: 'a byte at the end flipped', do: (path, size) => flip(path, size - 9) },
  { how: 'its second half gone', do: (path, size) => truncateSync(path, size >> 1) },
  { how: 'nothing left in it', do: (path) => truncateSync(path, 0) },
];

const filesOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

/** What came of a start on damaged files, and of everything that can be asked afterwards. */
type Outcome = Readonly<{ outcome: 'as before' | 'refused at start' | 'refused at use' | 'found by verify' | 'silently wrong'; told: string }>;

describe('files that were damaged at rest', () => {
  let standIn: EmbeddingStandIn;
  /** Stopped in good order, and killed: then the log has a write-ahead file, with what came last. */
  let sound: string;
  let killed: string;
  let settings: Settings;
  let expected: unknown;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn });
    await lane.live();
    await lane.live(undefined, { end: 'kill' });
    killed = lane.disk.root;
    settings = { ...standIn.settings('one'), PALIMPSEST_LOG_LEVEL: 'error', PALIMPSEST_PARSERS: '1' };
    sound = await aDataFolder();
    cpSync(killed, sound, { recursive: true });
    const platform = await PlatformUnderTest.start(sound, settings);
    expected = await visibleState(platform);
    await platform.stop();
  });

  const startOn = async (data: string): Promise<Outcome> => {
    let platform: PlatformUnderTest;
    try {
      platform = await PlatformUnderTest.start(data, settings);
    } catch (error) {
      await PlatformUnderTest.killAllOn(data);
      return { outcome: 'refused at start', told: String(error).trim().split('\n').at(-1) ?? '' };
    }
    try {
      await settled.run({ platform, client: platform.as(platform.key, { retries: 0 }), promises: undefined as never, patienceMs: 60_000 });
      const { logDamage = [], differences, clean } = await platform.client.operations.verify();
      if (!clean) return { outcome: 'found by verify', told: [...logDamage, ...differences.map((one) => JSON.stringify(one))][0] ?? '' };
      const state = await visibleState({ client: platform.as(platform.key, { retries: 0 }) });
      return JSON.stringify(state) === JSON.stringify(expected) ? { outcome: 'as before', told: '' } : { outcome: 'silently wrong', told: JSON.stringify(state).slice(0, 300) };
    } catch (error) {
      return { outcome: 'refused at use', told: error instanceof ProblemError ? `${error.status} ${error.code}: ${error.detail}` : String(error) };
    } finally {
      await platform.kill();
    }
  };

  /** What may come of it, by kind: what can be made again is made again, all else is refused, at the start or when it is needed. */
  const allowed = (path: string): readonly Outcome['outcome'][] => {
    if (/^read-models|local-api-key$/.test(path)) return ['as before'];
    if (path.startsWith('bus')) return ['as before', 'refused at start'];
    if (/^blobs\/documents/.test(path)) return ['as before']; // searches go on without uploads; the next test asks for one
    return ['as before', 'refused at start', 'refused at use', 'found by verify'];
  };

  it.each(KINDS.flatMap(({ kind, path }) => DAMAGES.map(({ how, do: harm }) => ({ kind, path, how, harm }))))('$kind with $how: never a silently wrong answer', async ({ kind, path, how, harm }) => {
    const from = kind === 'the log’s write-ahead file' ? killed : sound;
    const [name] = filesOf(from).filter((one) => path.test(one));
    if (name === undefined) throw new Error(`there is no file of ${kind}`);
    const data = await aDataFolder();
    cpSync(from, data, { recursive: true });
    const file = join(data, name);
    harm(file, statSync(file).size);
    const { outcome, told } = await startOn(data);
    process.stdout.write(`\n${kind} with ${how}: ${outcome}${told === '' ? '' : `: ${told.slice(0, 200).replaceAll(data, '<data>')}`}`);
    expect({ outcome, told, allowed: allowed(name).includes(outcome) }).toEqual({ outcome, told, allowed: true });
    if (outcome === 'refused at start') expect(told).toMatch(/palimpsest: .*(?:log|key|queue|checkpoint|blob)/);
    rmSync(data, { recursive: true, force: true });
  });

  it('a damaged upload is refused when it is asked for again, and the document stays as it was', async () => {
    const data = await aDataFolder();
    cpSync(sound, data, { recursive: true });
    for (const name of filesOf(data).filter((one) => /^blobs\/documents\//.test(one))) flip(join(data, name), statSync(join(data, name)).size >> 1);
    const platform = await PlatformUnderTest.start(data, settings);
    const { documents } = await platform.client.documents.list({ status: 'indexed', limit: 1 });
    const [{ documentId, indexedVersion } = { documentId: '', indexedVersion: 0 }] = documents;
    await platform.client.documents.retry(documentId);
    await settled.run({ platform, client: platform.client, promises: undefined as never, patienceMs: 60_000 });
    const after = await platform.client.documents.get(documentId);
    expect(after).toMatchObject({ status: 'failed', indexedVersion });
    expect((await platform.client.operations.verify()).clean).toBe(true);
    await platform.stop();
  });
});
