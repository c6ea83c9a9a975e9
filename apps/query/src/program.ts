import { runMain } from '@palimpsest/platform/process';
import { queryServiceConfig } from '@palimpsest/platform/settings';

await runMain({
  name: 'query',
  config: () => queryServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the query service of Palimpsest (${namespace})`,
  start: async (config, log) => (await import('@palimpsest/platform/distributed')).startQueryService(config, log),
});
