import { reembeddingServiceConfig } from '@palimpsest/distributed';
import { runMain } from '@palimpsest/host';

await runMain({
  name: 'reembedding',
  config: () => reembeddingServiceConfig(process.env),
  starting: ({ eventStore }) => `Starting the reembedding service of Palimpsest on ${new URL(eventStore.split(',')[0] ?? '').host}`,
  start: async (config, log) => {
    const { startService } = await import('@palimpsest/distributed');
    const { ReembeddingServiceModule } = await import('./app.module.ts');
    return startService('reembedding', config, log, (adapters, faults) => ReembeddingServiceModule.on(adapters, faults));
  },
});
