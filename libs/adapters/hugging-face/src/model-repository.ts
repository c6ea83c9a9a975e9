import { InvalidValue } from '@palimpsest/knowledge/errors';

/** A repository of the hub. `revision`: a branch, a tag or a commit. */
export type ModelRepository = Readonly<{ id: string; revision: string }>;

const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}';
const REFERENCE = new RegExp(`^hf:(${NAME}/${NAME})(?:@([A-Za-z0-9][A-Za-z0-9._/-]{0,254}))?$`);

/** Whether a command line argument names a repository of the hub. */
export const isModelRepository = (text: string): boolean => text.startsWith('hf:');

/** Reads `hf:owner/name` or `hf:owner/name@revision`. @throws InvalidValue */
export const modelRepository = (text: string): ModelRepository => {
  const [, id, revision = 'main'] = REFERENCE.exec(text) ?? [];
  if (id === undefined || id.includes('..') || revision.includes('..') || revision.includes('//'))
    throw new InvalidValue('model', 'hf:<owner>/<name> or hf:<owner>/<name>@<revision>', text);
  return { id, revision };
};
