import { existsSync, readFileSync } from 'node:fs';
import { pause } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { endlessPdf, swellingPdf } from '../../test/hostile-files.ts';
import { DEFAULT_LIMITS, DEFAULT_POOL, type PoolOptions } from '../parser-limits.ts';
import { ParserPool } from './parser-pool.ts';
import { ParserProcess } from './parser-process.ts';
import { residentMemory } from './resident-memory.ts';

const note: ParseInput = { bytes: Buffer.from('# Note\n\nSome words.\n'), fileName: 'note.md' };

/** For tests that compute at low priority on a busy machine. */
const PATIENCE_MS = 300_000;

/** A zombie process does not run any more. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function withPool(options: Partial<PoolOptions>, use: (pool: ParserPool) => Promise<void>): Promise<void> {
  const pool = new ParserPool({ ...DEFAULT_POOL, ...options }, DEFAULT_LIMITS);
  try {
    await use(pool);
  } finally {
    pool.close();
  }
}

describe('ParserPool', () => {
  it(
    'kills a process whose file takes too long, and rejects only that file',
    async () => {
      // More CPU time than a note needs, however slow the machine is.
      await withPool({ quickMs: 1_000, quickMsPerMb: 1, slowTimeoutMs: 700, processes: 2, maxRssBytes: 2_000_000_000 }, async (pool) => {
        const [endless, ...others] = await Promise.all([pool.parse(endlessPdf()), pool.parse(note), pool.parse(note)]);
        expect(endless).toEqual({ outcome: 'rejected', reason: 'time-out', detail: 'The file could not be read within 0.7 seconds.' });
        expect(others.map(({ outcome }) => outcome)).toEqual(['parsed', 'parsed']);
        expect(await pool.parse(note)).toMatchObject({ outcome: 'parsed' });
      });
    },
    PATIENCE_MS,
  );

  it(
    'kills a process that uses too much memory, and rejects only its file',
    async () => {
      await withPool({ maxRssBytes: 220_000_000, processes: 1 }, async (pool) => {
        const [swelling, other] = await Promise.all([pool.parse(swellingPdf(600_000_000)), pool.parse(note)]);
        expect(swelling).toEqual({ outcome: 'rejected', reason: 'too-large', detail: 'Reading the file took more than 220 MB of memory.' });
        expect(other.outcome).toBe('parsed');
      });
    },
    PATIENCE_MS,
  );

  it(
    'does not let good files wait for a slow one',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        const controller = new AbortController();
        // The reader searches endlessly for the ends of objects, in little memory.
        const endless = pool.parse(
          { bytes: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1_000_000, '1 0 obj<<[(')]), fileName: 'noise.pdf' },
          controller.signal,
        );
        expect(await pool.parse(note)).toMatchObject({ outcome: 'parsed' });
        expect(await Promise.race([endless, Promise.resolve('still at it')])).toBe('still at it');
        controller.abort(new Error('enough'));
        await expect(endless).rejects.toThrow('enough');
      });
    },
    PATIENCE_MS,
  );

  it(
    'reports slow files, and parses several of them sequentially while other files are parsed',
    async () => {
      await withPool({ processes: 1, quickMs: 50, quickMsPerMb: 1, computeMs: 1_000, computeMsPerMb: 1 }, async (pool) => {
        const slowFiles: number[] = [];
        const slow = [0, 1, 2].map((index) => pool.parse(endlessPdf(), undefined, () => slowFiles.push(index)));
        // It takes the process of a slow file; otherwise it would wait for minutes.
        expect(await pool.parse(note)).toMatchObject({ outcome: 'parsed' });
        for (const outcome of await Promise.all(slow)) expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'time-out' });
        expect(slowFiles.toSorted()).toEqual([0, 1, 2]);
        expect(await pool.parse(note)).toMatchObject({ outcome: 'parsed' });
      });
    },
    PATIENCE_MS,
  );

  it(
    'kills a process that exceeds the CPU time limit of its file',
    async () => {
      await withPool({ processes: 1, quickMs: 50, quickMsPerMb: 1, computeMs: 300, computeMsPerMb: 1 }, async (pool) => {
        const outcome = await pool.parse(endlessPdf());
        expect(outcome).toMatchObject({
          outcome: 'rejected',
          reason: 'time-out',
          detail: expect.stringMatching(
            /^The file could not be read within 0\.\d+ seconds of CPU time, the limit for [\d.]+ .?B\.$/,
          ) as string,
        });
      });
    },
    PATIENCE_MS,
  );

  it(
    'lets a file wait for a free process, in order',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        const order: number[] = [];
        await Promise.all(
          [0, 1, 2, 3].map(async (index) => {
            await pool.parse(note);
            order.push(index);
          }),
        );
        expect(order).toEqual([0, 1, 2, 3]);
      });
    },
    PATIENCE_MS,
  );

  it(
    'removes an aborted file from the queue',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        const stop = new AbortController();
        const busy = pool.parse(endlessPdf(), stop.signal);
        const controller = new AbortController();
        const waiting = pool.parse(note, controller.signal);
        controller.abort(new Error('not wanted'));
        await expect(waiting).rejects.toThrow('not wanted');
        stop.abort(new Error('enough'));
        await expect(busy).rejects.toThrow('enough');
        expect((await pool.parse(note)).outcome).toBe('parsed');
      });
    },
    PATIENCE_MS,
  );

  it(
    'kills the process of an aborted file, and starts another one',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        await pool.parse(note);
        const controller = new AbortController();
        const busy = pool.parse(endlessPdf(), controller.signal);
        setTimeout(() => controller.abort(new Error('not wanted')), 100);
        await expect(busy).rejects.toThrow('not wanted');
        expect((await pool.parse(note)).outcome).toBe('parsed');
      });
    },
    PATIENCE_MS,
  );

  it(
    'replaces a process that died while it was idle',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        await pool.parse(note);
        const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
        const exited = children.filter(isAlive);
        for (const pid of exited) process.kill(pid, 'SIGKILL');
        while (exited.some((pid) => existsSync(`/proc/${pid}`))) await pause(20);
        expect((await pool.parse(note)).outcome).toBe('parsed');
      });
    },
    PATIENCE_MS,
  );

  it(
    'fails work in progress when it is closed',
    async () => {
      await withPool({ processes: 1 }, async (pool) => {
        const all = [pool.parse(endlessPdf()), pool.parse(note)];
        setTimeout(() => pool.close(), 300);
        const results = await Promise.allSettled(all);
        expect(results[1]).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) as Unavailable });
        await expect(pool.parse(note)).rejects.toThrow(Unavailable);
      });
    },
    PATIENCE_MS,
  );
});

describe('ParserProcess', () => {
  const start = (options: Partial<PoolOptions> = {}): ParserProcess => new ParserProcess({ ...DEFAULT_POOL, ...options });

  it('rejects the file if its process crashes', async () => {
    const parser = start();
    await parser.parse(note, DEFAULT_LIMITS);
    const work = parser.parse(endlessPdf(), DEFAULT_LIMITS);
    setTimeout(() => process.kill(parser.pid, 'SIGSEGV'), 100);
    expect(await work).toEqual({
      outcome: 'rejected',
      reason: 'corrupt',
      detail: 'The parser crashed on this file; the file is probably damaged.',
    });
    expect(parser.isFit).toBe(false);
  });

  it('is not reused after its number of files', async () => {
    const parser = start({ filesPerProcess: 2 });
    await parser.parse(note, DEFAULT_LIMITS);
    expect(parser.isFit).toBe(true);
    await parser.parse(note, DEFAULT_LIMITS);
    expect(parser.isFit).toBe(false);
    parser.end();
  });

  it('gives its process neither secrets nor permission to write files or start programs', async () => {
    process.env['PARSER_SECRET'] = 'hidden';
    const parser = start();
    await parser.parse(note, DEFAULT_LIMITS);
    expect(readFileSync(`/proc/${parser.pid}/environ`, 'utf8')).not.toContain('PARSER_SECRET');
    expect(readFileSync(`/proc/${parser.pid}/cmdline`, 'utf8').split('\0')).toContain('--permission');
    expect(residentMemory(parser.pid)).toBeGreaterThan(10_000_000);
    parser.end();
    delete process.env['PARSER_SECRET'];
  });

  it(
    'exits with its parent, even while it parses a file',
    async () => {
      const { spawn } = await import('node:child_process');
      // No limit may end it first, however busy the machine is.
      const script = `
      import { ParserProcess } from ${JSON.stringify(new URL('./parser-process.ts', import.meta.url).href)};
      import { DEFAULT_LIMITS, DEFAULT_POOL } from ${JSON.stringify(new URL('../parser-limits.ts', import.meta.url).href)};
      import { endlessPdf } from ${JSON.stringify(new URL('../../test/hostile-files.ts', import.meta.url).href)};
      const forever = 3_600_000;
      const parser = new ParserProcess({ ...DEFAULT_POOL, timeoutMs: forever, slowTimeoutMs: forever, computeMs: forever, computeMsAtMost: forever, quickMs: 100, maxRssBytes: 4e9 });
      // Called while the file is being parsed. Not console.log: it colours numbers where FORCE_COLOR is set.
      void parser.parse(endlessPdf(), DEFAULT_LIMITS, { onSlow: () => process.stdout.write(String(parser.pid)) });
      setInterval(() => {}, 1000);`;
      const parent = spawn(process.execPath, ['--conditions=@palimpsest/source', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const pid = Number(await new Promise<string>((resolve) => parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))));
      const wasAlive = isAlive(pid);
      // Kill it before asserting: a parent that stays alive would keep the test run from ending.
      parent.kill('SIGKILL');
      expect(wasAlive).toBe(true);
      // On a busy machine this takes a while; without the guard thread it would never end.
      while (isAlive(pid)) await pause(50);
    },
    PATIENCE_MS,
  );
});
