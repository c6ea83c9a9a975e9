import { ingestionServiceConfig } from '@palimpsest/distributed';
import { runMain } from '@palimpsest/host';

await runMain({
  name: 'ingestion',
  config: () => ingestionServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the ingestion service of Palimpsest (${namespace})`,
  start: async (config, log) => {
    const { startService } = await import('@palimpsest/distributed');
    const { IngestionServiceModule } = await import('./app.module.ts');
    return startService('ingestion', config, log, (adapters, faults) => IngestionServiceModule.on(adapters, faults));
  },
});
