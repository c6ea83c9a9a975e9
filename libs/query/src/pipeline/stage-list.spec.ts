import { Overloaded, Unavailable } from '@palimpsest/knowledge/errors';
import type { Stage } from './stage.ts';
import { StageList } from './stage-list.ts';
import { StageRun } from './stage-run.ts';

type Words = Readonly<{ words: readonly string[] }>;

const split: Stage<Readonly<{ text: string }>, Words> = {
  name: 'split',
  run: ({ text }) => ({ words: text.split(' ') }),
  count: ({ words }) => words.length,
};
const sorted: Stage<Words, Words> = {
  name: 'sort',
  run: async ({ words }) => ({ words: [...words].sort() }),
  count: ({ words }) => words.length,
};
const joined: Stage<Words, Readonly<{ text: string; joined: string }>> = {
  name: 'join',
  run: ({ words }) => ({ text: '', joined: words.join('-') }),
  count: () => 1,
};

/** A stage that ends only when its signal aborts. */
const endless = (otherwise?: Stage<Words, Words>['otherwise']): Stage<Words, Words> => ({
  name: 'endless',
  run: (_, { signal }) => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
  count: ({ words }) => words.length,
  budget: { ms: 1 },
  ...(otherwise === undefined ? {} : { otherwise }),
});

const start = StageList.startingWith<Readonly<{ text: string }>>();
const timedStages = (run: StageRun) =>
  run.timings().stages.map(({ stage, candidates, note }) => [stage, candidates, ...(note === undefined ? [] : [note])]);

describe('A list of stages', () => {
  it('gives each stage what the earlier ones added, and measures each', async () => {
    const run = new StageRun();
    const outcome = await start.next(split).next(sorted).next(joined).run({ text: 'c a b' }, run);
    expect(outcome).toEqual({ words: ['a', 'b', 'c'], text: '', joined: 'a-b-c' });
    expect(timedStages(run)).toEqual([
      ['split', 3],
      ['sort', 3],
      ['join', 1],
    ]);
    expect(run.timings().stages.every(({ ms }) => ms >= 0 && ms <= run.timings().totalMs)).toBe(true);
  });

  it('can be extended without changing the list that it extends', async () => {
    const short = start.next(split);
    short.next(sorted);
    expect(await short.run({ text: 'b a' }, new StageRun())).toEqual({ words: ['b', 'a'] });
  });

  it('runs parallel branches at the same time, and joins what they add', async () => {
    const arrived: string[] = [];
    let meet: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (meet = resolve));
    const waiting = (name: string): Stage<Words, Readonly<Record<string, number>>> => ({
      name,
      run: async ({ words }) => {
        if (arrived.push(name) === 2) meet();
        await both;
        return { [name]: words.length };
      },
      count: () => 1,
    });
    const outcome = await start
      .next(split)
      .parallel(
        (branch) => branch.next(waiting('one')),
        (branch) => branch.next(waiting('other')),
      )
      .run({ text: 'a b' }, new StageRun());
    expect(outcome).toEqual({ words: ['a', 'b'], one: 2, other: 2 });
  });

  it('leaves out a stage that does not apply, and does not time it', async () => {
    const run = new StageRun();
    const unneeded: Stage<Words, Words> = {
      ...sorted,
      unless: { holds: ({ words }) => words.length === 2, add: () => ({ words: ['left out'] }) },
    };
    expect(await start.next(split).next(unneeded).run({ text: 'b a' }, run)).toEqual({ words: ['left out'] });
    expect(timedStages(run)).toEqual([['split', 2]]);
    expect(await start.next(split).next(unneeded).run({ text: 'c b a' }, run)).toEqual({ words: ['a', 'b', 'c'] });
  });

  it('skips a stage that exceeds its budget, notes it, and says so to the later stages', async () => {
    const run = new StageRun();
    const noting: Stage<Words, Readonly<{ seen: unknown }>> = {
      name: 'noting',
      run: (_, { skipped }) => ({ seen: { ...skipped } }),
      count: () => 0,
    };
    const outcome = await start
      .next(split)
      .next(endless(({ words }) => ({ words })))
      .next(noting)
      .run({ text: 'b a' }, run);
    expect(outcome).toEqual({ words: ['b', 'a'], seen: { endless: 'took longer than 1 ms' } });
    expect(timedStages(run)).toEqual([
      ['split', 2],
      ['endless', 2, 'skipped: took longer than 1 ms'],
      ['noting', 0],
    ]);
  });

  it('fails when a stage exceeds its budget and the stage says so', async () => {
    const outcome = start.next(split).next(endless()).run({ text: 'b a' }, new StageRun());
    await expect(outcome).rejects.toThrow(new Unavailable('the stage "endless" of the search took longer than 1 ms', { forCallers: true }));
  });

  it('fails with the error of a stage, within its budget and without one', async () => {
    const broken = (more: Partial<Stage<Words, Words>>): Stage<Words, Words> => ({
      ...sorted,
      run: () => {
        throw new Error('broken');
      },
      ...more,
    });
    for (const stage of [broken({}), broken({ budget: { ms: 60_000 } }), broken({ otherwise: ({ words }) => ({ words }) })])
      await expect(start.next(split).next(stage).run({ text: 'b a' }, new StageRun())).rejects.toThrow('broken');
  });

  it.each([
    ['is unavailable, in words for callers', new Unavailable('the model is away', { forCallers: true }), 'the model is away'],
    ['is unavailable, without words for operators', new Unavailable('127.0.0.1 refused'), 'what it depends on is not available'],
    ['is overloaded', new Overloaded('too many requests', 3), 'too many requests'],
  ])('skips a stage that the search can do without when what it depends on %s', async (_, error, reason) => {
    const failing = (more: Partial<Stage<Words, Words>>): Stage<Words, Words> => ({ ...sorted, run: () => Promise.reject(error), ...more });
    const run = new StageRun();
    const optional = failing({ otherwise: (_state, why) => ({ words: [why] }) });
    expect(await start.next(split).next(optional).run({ text: 'b a' }, run)).toEqual({ words: [reason] });
    expect(timedStages(run)[1]).toEqual(['sort', 1, `skipped: ${reason}`]);
    await expect(start.next(split).next(failing({})).run({ text: 'b a' }, new StageRun())).rejects.toBe(error);
  });

  it('keeps the result of a stage within its budget', async () => {
    const run = new StageRun();
    const quick: Stage<Words, Words> = { ...sorted, budget: { ms: 60_000 } };
    expect(await start.next(split).next(quick).run({ text: 'b a' }, run)).toEqual({ words: ['a', 'b'] });
    expect(timedStages(run)).toEqual([
      ['split', 2],
      ['sort', 2],
    ]);
  });
});
