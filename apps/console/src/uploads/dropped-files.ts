import { leftOutOf, mayHoldSecrets, reasonToLeaveOut } from '@palimpsest/client';
import type { LeftOut } from '@palimpsest/client';
import type { NamedFile } from './upload-queue.ts';

/** A selection: files to send, files left out of folders, and individually chosen files that may hold secrets (they are sent). */
export type Picked = Readonly<{ files: readonly NamedFile[]; leftOut: readonly LeftOut[]; secrets: readonly string[] }>;

const NOTHING: Picked = { files: [], leftOut: [], secrets: [] };

const merge = (all: readonly Picked[]): Picked => ({
  files: all.flatMap(({ files }) => files),
  leftOut: [...new Map(all.flatMap(({ leftOut }) => leftOut).map((one) => [one.path, one])).values()],
  secrets: all.flatMap(({ secrets }) => secrets),
});

/** A file that was chosen individually is sent, unless the operating system created it. */
const single = (file: NamedFile): Picked => {
  if (reasonToLeaveOut(file.name, 'file') === 'system') return { ...NOTHING, leftOut: [{ path: file.name, reason: 'system' }] };
  return { files: [file], leftOut: [], secrets: mayHoldSecrets(file.name) ? [file.name] : [] };
};

/** A file of a chosen folder. Its path starts with the folder's own name. */
const ofFolder = (path: string, file: Blob): Picked => {
  const [folder = '', ...inside] = path.split('/');
  const left = leftOutOf(inside.join('/'));
  return left === undefined
    ? { ...NOTHING, files: [{ name: path, file }] }
    : { ...NOTHING, leftOut: [{ ...left, path: `${folder}/${left.path}` }] };
};

/** The files of a file input. Files of a folder keep their paths inside it. */
export const chosenFiles = (files: Iterable<File>): Picked =>
  merge(
    [...files].map((file) =>
      file.webkitRelativePath === '' ? single({ name: file.name, file }) : ofFolder(file.webkitRelativePath, file),
    ),
  );

/** The dropped files, including those in folders. Must be called inside the drop handler: afterwards the browser clears the items. */
export const droppedFiles = async (items: Iterable<DataTransferItem>): Promise<Picked> => {
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return merge(
    await Promise.all(
      dropped.map(async ({ entry, file }) => {
        if (entry?.isDirectory === true) return filesIn(entry as FileSystemDirectoryEntry);
        return file === null ? NOTHING : single({ name: file.name, file });
      }),
    ),
  );
};

const filesIn = async (folder: FileSystemDirectoryEntry): Promise<Picked> => merge(await Promise.all((await entriesIn(folder)).map(found)));

/** Folders that are left out are not opened: a hidden folder can hold thousands of files. */
const found = async (entry: FileSystemEntry): Promise<Picked> => {
  const path = entry.fullPath.replace(/^\//, '');
  const reason = reasonToLeaveOut(entry.name, entry.isFile ? 'file' : 'folder');
  if (reason !== undefined) return { ...NOTHING, leftOut: [{ path, reason }] };
  return entry.isFile
    ? { ...NOTHING, files: [{ name: path, file: await fileOf(entry as FileSystemFileEntry) }] }
    : filesIn(entry as FileSystemDirectoryEntry);
};

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A browser returns the entries of a folder in batches; an empty batch is the end. */
const entriesIn = async (folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> => {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return all;
    all.push(...batch);
  }
};
