/** Beside a catalogue: what waits for the disk, or reads all of it, and would hold up the event loop. */
import { serveCalls } from '../log/serve-calls.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import { catalogFiles } from './catalog-files.ts';
import { PageFolding } from './page-folding.ts';
import { PageSums } from './page-sums.ts';

let file = '';
let folding: PageFolding | undefined;
// Not at once: the catalogue is being opened itself.
const theFolding = (): PageFolding => (folding ??= new PageFolding(file));

serveCalls<CatalogCalls>({
  open: (request) => {
    ({ file } = request);
    return null;
  },
  fold: () => theFolding().fold(),
  purge: () => theFolding().purge(),
  changed: ({ first, count }) => theFolding().changed(first, count),
  sum: ({ copy }) => {
    PageSums.ofFile(copy).write(catalogFiles(copy).sums);
    return null;
  },
  problems: ({ most }) => theFolding().problems(most),
  close: () => {
    folding?.close();
    return null;
  },
});
