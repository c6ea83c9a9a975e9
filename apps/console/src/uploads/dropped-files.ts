import { leftOutOf, mayHoldSecrets, reasonToLeaveOut } from '@palimpsest/client';
import type { LeftOut } from '@palimpsest/client';
import type { NamedFile } from './upload-queue.ts';

/** What was chosen: files to send, what stays out of a folder, and files that may hold secrets and are sent since they were chosen on their own. */
export type Picked = Readonly<{ files: readonly NamedFile[]; leftOut: readonly LeftOut[]; secrets: readonly string[] }>;

const NOTHING: Picked = { files: [], leftOut: [], secrets: [] };

const together = (all: readonly Picked[]): Picked => ({
  files: all.flatMap(({ files }) => files),
  leftOut: [...new Map(all.flatMap(({ leftOut }) => leftOut).map((one) => [one.path, one])).values()],
  secrets: all.flatMap(({ secrets }) => secrets),
});

/** A file that was chosen on its own is sent, unless the operating system made it. */
const single = (file: NamedFile): Picked => {
  if (reasonToLeaveOut(file.name, 'file') === 'system') return { ...NOTHING, leftOut: [{ path: file.name, reason: 'system' }] };
  return { files: [file], leftOut: [], secrets: mayHoldSecrets(file.name) ? [file.name] : [] };
};

/** A file of a folder that was chosen, by its path, which begins with the folder's own name. */
const ofFolder = (path: string, file: Blob): Picked => {
  const [folder = '', ...inside] = path.split('/');
  const left = leftOutOf(inside.join('/'));
  return left === undefined ? { ...NOTHING, files: [{ name: path, file }] } : { ...NOTHING, leftOut: [{ ...left, path: `${folder}/${left.path}` }] };
};

/** The files of a file input; of a folder, with their paths below it. */
export const chosenFiles = (files: Iterable<File>): Picked =>
  together([...files].map((file) => (file.webkitRelativePath === '' ? single({ name: file.name, file }) : ofFolder(file.webkitRelativePath, file))));

/** What was dropped, folders opened. To be called while the drop is handled: a moment later the browser has taken it back. */
export const droppedFiles = async (items: Iterable<DataTransferItem>): Promise<Picked> => {
  const dropped = [...items].filter(({ kind }) => kind === 'file').map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return together(
    await Promise.all(
      dropped.map(async ({ entry, file }) => {
        if (entry?.isDirectory === true) return filesIn(entry as FileSystemDirectoryEntry);
        return file === null ? NOTHING : single({ name: file.name, file });
      }),
    ),
  );
};

const filesIn = async (folder: FileSystemDirectoryEntry): Promise<Picked> => together(await Promise.all((await entriesIn(folder)).map(found)));

/** What is left out is not even opened: a hidden folder may hold thousands of files. */
const found = async (entry: FileSystemEntry): Promise<Picked> => {
  const path = entry.fullPath.replace(/^\//, '');
  const reason = reasonToLeaveOut(entry.name, entry.isFile ? 'file' : 'folder');
  if (reason !== undefined) return { ...NOTHING, leftOut: [{ path, reason }] };
  return entry.isFile ? { ...NOTHING, files: [{ name: path, file: await fileOf(entry as FileSystemFileEntry) }] } : filesIn(entry as FileSystemDirectoryEntry);
};

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A browser answers a folder in portions; an empty one is the end. */
const entriesIn = async (folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> => {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return all;
    all.push(...portion);
  }
};
