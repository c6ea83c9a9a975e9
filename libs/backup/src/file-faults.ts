import { KnowledgeError, Unavailable } from '@palimpsest/knowledge';

const IN_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder or file',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EIO: 'the disk failed',
};

const SQLITE_FULL = 13;

/** Faults of the file system as one line that names the file. */
export const inOurWords = async <Result>(doing: string, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    const { code = '', errcode } = (cause ?? {}) as { code?: string; errcode?: number };
    const words = errcode === SQLITE_FULL ? IN_WORDS['ENOSPC'] : (IN_WORDS[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : undefined));
    if (words === undefined) throw cause;
    throw new Unavailable(`cannot ${doing}: ${words}`, { cause });
  }
};
