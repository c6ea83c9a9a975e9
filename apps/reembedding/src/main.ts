import { reembeddingServiceConfig } from '@palimpsest/distributed';
import { runMain } from '@palimpsest/host';

await runMain({
  name: 'reembedding',
  config: () => reembeddingServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the reembedding service of Palimpsest (${namespace})`,
  start: async (config, log) => {
    const { startService } = await import('@palimpsest/distributed');
    const { ReembeddingServiceModule } = await import('./app.module.ts');
    return startService('reembedding', config, log, (adapters, faults) => ReembeddingServiceModule.on(adapters, faults));
  },
});
