import { searchFolder } from '@palimpsest/foundation';
import type { LocalFiles } from '@palimpsest/erasure';

/** The files below a folder, for receipts of erasures. */
export const localFiles = (root: string, which: string, isLeftOut: (path: string) => boolean = () => false): LocalFiles => ({
  which,
  search: (probes, signal) => searchFolder(root, probes, { isLeftOut, signal }),
});
