import { goldenSetName } from '@palimpsest/knowledge/golden';
import { describeGoldenQueries } from '@palimpsest/test-kit';
import { HANDBOOK, RED, World } from '../test/world.ts';
import { LogGoldenQueries } from './log-golden-queries.ts';

describeGoldenQueries('LogGoldenQueries', async () => {
  const world = await World.open();
  return {
    queries: new LogGoldenQueries(world.journal),
    scope: RED,
    documents: [await world.exists('one.md'), await world.idOf('two.md')],
    import: async (set, lines) => {
      const sources = ['one.md', 'two.md'];
      const sent = lines.map(({ grades, ...line }) => ({
        ...line,
        judgements: grades.map((grade, i) => ({ source: sources[i], grade })),
      }));
      await world.import(goldenSetName(set), sent, { knowledgeBase: HANDBOOK });
    },
    remove: (set) => world.remove(goldenSetName(set)),
    destroyKey: () => world.keys.destroy(RED),
  };
});
