import { runMain } from '@palimpsest/platform/process';
import { reembeddingServiceConfig } from '@palimpsest/platform/settings';

await runMain({
  name: 'reembedding',
  config: () => reembeddingServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the reembedding service of Palimpsest (${namespace})`,
  start: async (config, log) => (await import('@palimpsest/platform/distributed')).startReembeddingService(config, log),
});
