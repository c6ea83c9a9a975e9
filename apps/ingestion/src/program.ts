import { runMain } from '@palimpsest/platform/process';
import { ingestionServiceConfig } from '@palimpsest/platform/settings';

await runMain({
  name: 'ingestion',
  config: () => ingestionServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the ingestion service of Palimpsest (${namespace})`,
  start: async (config, log) => (await import('@palimpsest/platform/distributed')).startIngestionService(config, log),
});
