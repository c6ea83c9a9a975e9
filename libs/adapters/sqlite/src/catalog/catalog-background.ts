import { CatalogBackgroundWorker } from './catalog-background-worker.ts';
import type { CatalogFile } from './catalog-files.ts';
import { TemporaryCatalogWorker } from './temporary-catalog-worker.ts';

/** The background thread of a catalog in a file. A temporary catalog has nothing to check or to checkpoint. */
export type Background = Pick<CatalogBackgroundWorker, 'write' | 'replaceScopes' | 'close'> &
  Partial<Pick<CatalogBackgroundWorker, 'checkpoint' | 'check' | 'problems'>>;

export const backgroundOf = (
  { path, isTemporary }: CatalogFile,
  options: ConstructorParameters<typeof CatalogBackgroundWorker>[1],
): Background => (isTemporary ? new TemporaryCatalogWorker(path) : new CatalogBackgroundWorker(path, options));
