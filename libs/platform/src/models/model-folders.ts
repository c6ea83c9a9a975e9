import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';

/**
 * The folder of a model that an operator names: it must be below one of `roots`, also after symbolic links are followed. Nothing outside
 * of the roots is touched, and a folder that does not exist gives the same error as one that is not allowed.
 * @throws InvalidValue
 */
export const modelFolderIn = async (roots: readonly string[], name: string): Promise<string> => {
  for (const root of roots) {
    const path = resolve(root, name);
    if (!isBelow(resolve(root), path)) continue;
    const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]).catch(() => []);
    if (realRoot !== undefined && real !== undefined && isBelow(realRoot, real)) return real;
  }
  throw new InvalidValue('onnx', `a folder below ${roots.join(' or ')}`, name);
};

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);
