import { SeededRandom, SYSTEM } from '@palimpsest/foundation';
import { permittedScope } from '@palimpsest/knowledge/access';
import { ADMIN, SCOPE, World } from '../../test/world.ts';
import { countTexts, type CountOptions } from './count-texts.ts';

const words = (text: string): number => text.split(' ').length;
const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => Array.from({ length: 1 + (n % 9) }, () => `w${n}`).join(' '));

const counted = async (count: number, options: Partial<CountOptions> = {}) => {
  const world = await new World().begin();
  await world.indexed('a', texts(count));
  await world.project();
  const { catalog, keys } = world;
  const given = { random: new SeededRandom(1), signal: new AbortController().signal, texts: 4, ...options };
  return countTexts({ catalog, keys, scheduler: SYSTEM.scheduler }, permittedScope(ADMIN, SCOPE.scope), { count: words }, given);
};
const sum = (read: readonly Readonly<{ tokens: number }>[]): number => read.reduce((all, { tokens }) => all + tokens, 0);

describe('counting texts', () => {
  it('reads every chunk of a scope, page by page', async () => {
    const { chunks, read, texts: sample } = await counted(250);
    expect([chunks, read.length, sample.length]).toEqual([250, 250, 4]);
    expect(sum(read)).toBe(texts(250).reduce((all, text) => all + words(text), 0));
  });

  it('draws the same sample for the same seed, whose mean is that of the scope', async () => {
    const [first, again] = [await counted(900, { maxRead: 300 }), await counted(900, { maxRead: 300 })];
    expect(first).toEqual(again);
    expect(first.chunks).toBe(900);
    expect(new Set(first.read.map(({ chunkId }) => chunkId)).size).toBe(300);
    // The mean of 1 to 9 is 5; three standard errors are 0.37.
    expect(Math.abs(sum(first.read) / 300 - 5)).toBeLessThan(0.45);
    const other = await counted(900, { maxRead: 300, random: new SeededRandom(2) });
    expect(other.read).not.toEqual(first.read);
  });

  it('ends when it is aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(counted(20, { signal: stop.signal })).rejects.toThrow('enough');
  });
});
