import type { NamedFile } from './upload-queue.ts';

/** Files that nobody means when they drop a folder. */
const LITTER = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** The files of a file input; of a folder, with their paths below it. */
export const chosenFiles = (files: Iterable<File>): readonly NamedFile[] =>
  [...files].filter(({ name }) => !LITTER.has(name)).map((file) => ({ name: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath, file }));

/** What was dropped, folders opened. To be called while the drop is handled: a moment later the browser has taken it back. */
export const droppedFiles = (items: Iterable<DataTransferItem>): Promise<readonly NamedFile[]> => {
  const dropped = [...items].filter(({ kind }) => kind === 'file').map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return Promise.all(dropped.map(({ entry, file }) => (entry === null ? Promise.resolve(file === null ? [] : chosenFiles([file])) : filesIn(entry)))).then((lists) => lists.flat());
};

const filesIn = async (entry: FileSystemEntry): Promise<readonly NamedFile[]> => {
  if (LITTER.has(entry.name)) return [];
  if (entry.isFile) return [{ name: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry as FileSystemFileEntry) }];
  const inner = await entriesIn(entry as FileSystemDirectoryEntry);
  return (await Promise.all(inner.map(filesIn))).flat();
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
