import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { DEFAULT_LIMITS, DEFAULT_POOL } from '../parser-limits.ts';
import { ParserProcess } from './parser-process.ts';

/** Linux has a priority for each thread; elsewhere the process has one. */
const threadsOf = (pid: number): readonly number[] => (process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]);

describe('the priority of a parser process', () => {
  it('is lower than that of the platform, for all its threads, including those of the engine', async () => {
    const parser = new ParserProcess(DEFAULT_POOL);
    try {
      const outcome = await parser.parse({ bytes: Buffer.from('# Note\n\nSome words.\n'), fileName: 'note.md' }, DEFAULT_LIMITS);
      expect(outcome).toMatchObject({ outcome: 'parsed' });
      const priorities = threadsOf(parser.pid).map((thread) => getPriority(thread));
      expect(new Set(priorities)).toEqual(new Set([Math.min(19, getPriority() + 5)]));
    } finally {
      parser.end();
    }
  });
});
