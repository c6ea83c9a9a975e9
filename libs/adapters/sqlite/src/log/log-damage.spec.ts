import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import type { StoredEvent } from './log-calls.ts';
import { EventReader } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';
import { checkLog } from './log-check.ts';
import { openLogFile } from './log-file.ts';
import { EventRetention } from './event-retention.ts';
import { EventTruncation } from './event-truncation.ts';

const STREAMS = ['document-acme-one', 'document-acme-two', 'scope-acme-deployment', '_platform.retrieval-acme'];
const TYPES = ['Submitted', 'Indexed', 'Retrieved'];
const LATER = 10_000;

const idOf = (n: number): string => n.toString(16).padStart(32, '0');

/** Writes some pages of events. The oldest events of two streams are already removed, by a retention and by a truncation. */
const writeLog = (file: string): void => {
  const log = openLogFile(file);
  const writer = new EventWriter(log.database);
  const retention = new EventRetention(log.database);
  retention.setLimit('_platform.retrieval-acme', 5_000);
  const revisions = new Map<string, number>();
  for (let n = 0; n < 120; n++) {
    const stream = STREAMS[n % STREAMS.length] ?? '';
    const revision = revisions.get(stream) ?? -1;
    revisions.set(stream, revision + 1);
    const lines = [TYPES[n % TYPES.length], JSON.stringify({ n, text: `event ${n} `.repeat(20 + (n % 60)) }), '{"actor":"ann"}'].join('\n');
    writer.append([{ stream, expected: revision, ids: [idOf(n + 1)], lines }], n * 100);
  }
  retention.removeSome(LATER);
  const truncation = new EventTruncation(log.database);
  truncation.truncate('document-acme-two', 5);
  truncation.removeSome();
  log.close();
};

/** Everything that can be read: the whole log, each stream in both directions, each type. */
const read = (file: string): unknown => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const reader = new EventReader(database);
    const all = (request: Partial<Parameters<EventReader['read']>[0]>): readonly StoredEvent[] => {
      const events: StoredEvent[] = [];
      const backwards = request.direction === 'backwards';
      for (let cursor = backwards ? Number.MAX_SAFE_INTEGER : request.stream === undefined ? 0 : -1; ;) {
        const chunk = reader.read({ direction: 'forwards', rows: 50, now: LATER, ...request, cursor });
        events.push(...chunk.events);
        if (chunk.end || chunk.cursor === cursor) return events;
        cursor = chunk.cursor;
      }
    };
    return [
      all({}),
      all({ direction: 'backwards' }),
      ...STREAMS.flatMap((stream) => [all({ stream }), all({ stream, direction: 'backwards' })]),
      ...TYPES.map((type) => all({ types: [type] })),
    ];
  } finally {
    database.close();
  }
};

const checked = (file: string): readonly string[] => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    return checkLog(database);
  } catch (error) {
    return [String(error)];
  } finally {
    database?.close();
  }
};

describe('a log whose file was changed while it was closed', () => {
  let folder: string;
  let file: string;
  let intact: Buffer;
  let expected: unknown;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-damage-'));
    file = join(folder, 'events.db');
    writeLog(file);
    intact = readFileSync(file);
    expected = read(file);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Each read returns the correct events, or it fails, or the check reports a problem. */
  const isNeverSilentlyWrong = (bytes: Buffer): void => {
    writeFileSync(file, bytes);
    for (const more of ['-wal', '-shm']) rmSync(`${file}${more}`, { force: true });
    let got: unknown;
    try {
      got = read(file);
    } catch {
      expect(checked(file)).not.toEqual([]);
      return;
    }
    if (checked(file).length === 0) expect(got).toEqual(expected);
  };

  it('is intact when it was not changed', () => {
    writeFileSync(file, intact);
    expect(checked(file)).toEqual([]);
    expect(intact.length).toBeGreaterThan(100_000);
  });

  it('never returns wrong events unnoticed when any byte is flipped', () =>
    fc.assert(
      fc.property(fc.nat(intact.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = Buffer.from(intact);
        bytes.writeUInt8(bytes.readUInt8(at) ^ change, at);
        isNeverSilentlyWrong(bytes);
      }),
      { numRuns: 300 },
    ));

  it('never returns wrong events unnoticed when a byte at the start or the end of a page is flipped', () => {
    for (let page = 0; page < intact.length; page += 8192)
      for (const at of [...Array.from({ length: 24 }, (_, i) => page + (page === 0 ? 100 : 0) + i), page + 8191, page + 8100]) {
        const bytes = Buffer.from(intact);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 0x11, at);
        isNeverSilentlyWrong(bytes);
      }
  });

  it('never returns wrong events unnoticed when it is truncated, or a page is zeroed or replaced by another one', () => {
    for (let page = 0; page < intact.length; page += 8192) {
      isNeverSilentlyWrong(intact.subarray(0, page + 4096));
      isNeverSilentlyWrong(intact.subarray(0, page));
      const zeros = Buffer.from(intact);
      zeros.fill(0, page, page + 8192);
      isNeverSilentlyWrong(zeros);
      const other = Buffer.from(intact);
      intact.copy(other, page, (page + 3 * 8192) % intact.length, ((page + 3 * 8192) % intact.length) + 8192);
      isNeverSilentlyWrong(other);
    }
  });
});
