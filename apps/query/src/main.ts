import { queryServiceConfig } from '@palimpsest/distributed';
import { runMain } from '@palimpsest/host';

await runMain({
  name: 'query',
  config: () => queryServiceConfig(process.env),
  starting: ({ namespace }) => `Starting the query service of Palimpsest (${namespace})`,
  start: async (config, log) => {
    const { startService } = await import('@palimpsest/distributed');
    const { QueryServiceModule } = await import('./app.module.ts');
    return startService('query', config, log, (adapters, faults) => QueryServiceModule.on(adapters, faults));
  },
});
