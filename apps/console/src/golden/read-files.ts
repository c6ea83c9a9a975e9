import { GoldenFileError, isCorpus, readChosenFiles, type GoldenFile, type TextFile } from '@palimpsest/client/golden-files';

/** The golden queries of files that a user chose together, plain or as `.gz`. @throws GoldenFileError */
export const readFiles = async (files: readonly File[]): Promise<GoldenFile> =>
  readChosenFiles(await Promise.all(files.filter((file) => !isCorpus(file)).map(textFile)));

const textFile = async (file: File): Promise<TextFile> => {
  if (!/\.gz$/i.test(file.name)) return { name: file.name, text: await file.text() };
  const name = file.name.slice(0, -'.gz'.length);
  try {
    return { name, text: await new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text() };
  } catch {
    throw new GoldenFileError({ file: file.name }, 'a gzip file, because its name ends with .gz');
  }
};
