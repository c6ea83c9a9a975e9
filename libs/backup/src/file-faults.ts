import { KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';

const MESSAGES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOENT: 'file or folder not found',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EIO: 'the disk failed',
};

const SQLITE_FULL = 13;

/** Converts errors of the file system to one readable line that names the file. */
export const withReadableErrors = async <Result>(doing: string, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    const { code = '', errcode } = (cause ?? {}) as { code?: string; errcode?: number };
    const message = errcode === SQLITE_FULL ? MESSAGES['ENOSPC'] : (MESSAGES[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : undefined));
    if (message === undefined) throw cause;
    throw new Unavailable(`cannot ${doing}: ${message}`, { cause });
  }
};
