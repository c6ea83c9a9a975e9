import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { DEFAULT_LIMITS, DEFAULT_POOL } from '../parser-limits.ts';
import { ParserProcess } from './parser-process.ts';

const prioritiesOf = (pid: number): readonly number[] => readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));

// Only Linux has a priority for each thread, and tells of them.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('the priority of a parser process', () => {
  it('is behind that of the platform, for all of its threads, those of the engine too', async () => {
    const parser = new ParserProcess(DEFAULT_POOL);
    try {
      const outcome = await parser.parse({ bytes: Buffer.from('# Note\n\nSome words.\n'), fileName: 'note.md' }, DEFAULT_LIMITS);
      expect(outcome).toMatchObject({ outcome: 'parsed' });
      const priorities = prioritiesOf(parser.pid);
      expect(priorities.length).toBeGreaterThan(4);
      expect(new Set(priorities)).toEqual(new Set([Math.min(19, getPriority() + 5)]));
    } finally {
      parser.end();
    }
  });
});
