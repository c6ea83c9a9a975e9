import { WorkerChannel } from '../log/worker-channel.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import type { CatalogFile } from './catalog-files.ts';

/** The background thread of a catalog. It starts with the first call. */
export const catalogThread = (file: CatalogFile): WorkerChannel<CatalogCalls> =>
  new WorkerChannel<CatalogCalls>(
    `the background thread of ${file.path}`,
    new URL(import.meta.url.endsWith('.ts') ? './catalog-worker.ts' : './catalog-worker.js', import.meta.url),
    file,
  );
