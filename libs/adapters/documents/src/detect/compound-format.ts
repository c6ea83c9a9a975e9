import { CFB as untypedCfb } from '@e965/xlsx';
import { ParseRejection } from '../parse-rejection.ts';
import type { BinaryFormat } from './binary-format.ts';

/** The part of the library's interface that is used here; the library has no types for it. */
type CfbReader = {
  read(bytes: Buffer, options: { type: 'buffer' }): { FullPaths: string[]; FileIndex: { content?: ArrayLike<number> }[] };
};
const CFB = untypedCfb as CfbReader;

export type Compound = Readonly<{
  has: (name: string) => boolean;
  /** A stream's bytes, or undefined if it does not exist. */
  stream: (name: string) => Uint8Array | undefined;
}>;

/** Opens an OLE compound file ("cfb"), the container of .doc, .xls, .ppt, .msg and of encrypted Office files. */
export function openCompound(bytes: Uint8Array): Compound {
  let container: ReturnType<typeof CFB.read>;
  try {
    container = CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { type: 'buffer' });
  } catch {
    throw new ParseRejection('corrupt', 'The file is an Office 97 container whose directory is damaged or incomplete.');
  }
  const root = container.FullPaths[0] ?? '';
  const byName = new Map(container.FullPaths.map((path, index) => [path.slice(root.length).toLowerCase(), index]));
  return {
    has: (name) => byName.has(name.toLowerCase()) || byName.has(`${name.toLowerCase()}/`),
    stream: (name) => {
      const content = container.FileIndex[byName.get(name.toLowerCase()) ?? -1]?.content;
      return content === undefined ? undefined : Uint8Array.from(content);
    },
  };
}

/** Detects the format of a compound file by its characteristic streams. */
export function compoundFormat(bytes: Uint8Array): Readonly<{ format: BinaryFormat; mediaType: string }> {
  const compound = openCompound(bytes);
  if (compound.has('EncryptedPackage') || compound.has('EncryptionInfo'))
    throw new ParseRejection('password', 'The Office document is protected by a password.');
  if (compound.has('WordDocument')) return { format: 'word97', mediaType: 'application/msword' };
  if (compound.has('Workbook') || compound.has('Book')) return { format: 'workbook', mediaType: 'application/vnd.ms-excel' };
  if (compound.has('PowerPoint Document')) return { format: 'powerpoint97', mediaType: 'application/vnd.ms-powerpoint' };
  if (compound.has('__properties_version1.0')) return { format: 'outlook', mediaType: 'application/vnd.ms-outlook' };
  throw new ParseRejection('unsupported', 'The file is an OLE container of an unknown program.');
}
