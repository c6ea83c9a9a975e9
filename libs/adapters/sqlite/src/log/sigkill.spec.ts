import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventLog, RecordedEvent } from '@palimpsest/knowledge/ports';
import { openSqliteEventLog } from './open-sqlite-event-log.ts';

const CHILD = fileURLToPath(new URL('../../test/append-until-killed.ts', import.meta.url));
const KILLS = 12;

/** Cleanup of what a failing test may leave behind. */
const leftovers: (() => unknown)[] = [];

/** A process that appends until it is killed; `lines` holds the ids of each acknowledged append. */
const startAppending = (file: string) => {
  const child = spawn(process.execPath, ['--conditions=@palimpsest/source', CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  leftovers.push(() => child.kill('SIGKILL'));
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  return { lines: createInterface(child.stdout), ended, kill: () => child.kill('SIGKILL') };
};

/** Kills the process at a random moment and returns the ids that were acknowledged before. */
const appendAndKill = async (file: string): Promise<readonly string[]> => {
  const { lines, ended, kill } = startAppending(file);
  const acknowledged: string[] = [];
  let killing: Promise<unknown> | undefined;
  for await (const line of lines) {
    killing ??= sleep(Math.random() * 80).then(kill);
    const ids = line.split(' ');
    if (ids.every((id) => id.length === 36)) acknowledged.push(...ids); // the last line may be incomplete
  }
  expect(await ended).toBe('SIGKILL');
  return acknowledged;
};

const groups = <T>(all: readonly T[], keyOf: (one: T) => unknown): readonly (readonly T[])[] => {
  const byKey = new Map<unknown, T[]>();
  for (const one of all) {
    const group = byKey.get(keyOf(one));
    if (group === undefined) byKey.set(keyOf(one), [one]);
    else group.push(one);
  }
  return [...byKey.values()];
};

const open = async (file: string): Promise<EventLog> => {
  const log = await openSqliteEventLog({ file });
  leftovers.push(() => log.close());
  return log;
};

const readAll = async (file: string): Promise<readonly RecordedEvent[]> => {
  const log = await open(file);
  const all: RecordedEvent[] = [];
  for await (const event of log.readAll()) all.push(event);
  await log.close();
  return all;
};

describe('SqliteEventLog in a process that is killed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  });
  afterEach(async () => {
    for (const clear of leftovers.splice(0)) await clear();
    await rm(folder, { recursive: true });
  });

  it('has every acknowledged event exactly once and no partial append, and leaves no lock behind', async () => {
    const file = join(folder, 'events.db');
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) acknowledged.push(...(await appendAndKill(file)));
    const all = await readAll(file);

    expect(acknowledged.length).toBeGreaterThan(KILLS);
    const ids = new Set(all.map(({ id }) => id));
    expect(ids.size).toBe(all.length);
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(all.map(({ position }) => Number(position))).toEqual(all.map((_, index) => index + 1));
    for (const stream of groups(all, (event) => event.stream))
      expect(stream.map(({ revision }) => revision)).toEqual(stream.map((_, index) => index));
    for (const append of groups(all, (event) => event.metadata['append'])) expect(append).toHaveLength(Number(append[0]?.metadata['of']));
  });

  it('cannot be opened by a second process while the first one is alive', async () => {
    const file = join(folder, 'events.db');
    const { lines, ended, kill } = startAppending(file);
    await once(lines, 'line');
    await expect(open(file)).rejects.toThrow('already open in another process');
    kill();
    await ended;
    expect((await readAll(file)).length).toBeGreaterThan(0);
  });
});
