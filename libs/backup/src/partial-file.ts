import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeFully } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { partialName, removeLeftovers } from './leftovers.ts';
import type { ByteSink } from './sealed/sealed-writer.ts';

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A file that gets its name only when it is complete and on disk. The next run removes the hidden `.partial` file of a killed process. */
export class PartialFile implements ByteSink {
  readonly #target: string;
  readonly #path: string;
  /** Also used to read back what was written. */
  readonly handle: FileHandle;

  private constructor(target: string, path: string, handle: FileHandle) {
    this.#target = target;
    this.#path = path;
    this.handle = handle;
  }

  static async create(target: string): Promise<PartialFile> {
    await removeLeftovers(target);
    const path = partialName(target);
    await rm(path, { force: true });
    return new PartialFile(target, path, await open(path, 'wx+', 0o600));
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeFully(this.handle, bytes);
  }

  /** @throws InvalidValue when another process has created a file of that name in the meantime: it is not overwritten */
  async commit(): Promise<void> {
    await this.handle.sync();
    await link(this.#path, this.#target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw new InvalidValue('file', 'a file that does not exist yet', this.#target);
      if (!NO_LINKS.has(error.code ?? '')) throw error;
      await rename(this.#path, this.#target);
    });
    await rm(this.#path, { force: true });
    await syncFolder(dirname(this.#target));
  }

  /** Must always be called, last. */
  async close(): Promise<void> {
    await this.handle.close();
    await rm(this.#path, { force: true });
  }
}
