import { searchFolder, textProbes } from '@palimpsest/foundation';
import { SECRETS } from './contents.mjs';

/** Which texts of the letters are in a folder, as UTF-8 or UTF-16. */
export const secretsIn = async (folder) => {
  const { found } = await searchFolder(
    folder,
    SECRETS.flatMap((each) => textProbes(each, each)),
  );
  return [...found.keys()];
};
