import { packed, type Packed } from './packed.ts';

/** An entry of a zip. `claims` override the true values in its headers. */
export type ZipEntry = Readonly<{
  name: string | Buffer;
  content: string | Buffer | Packed;
  /** False header values. */
  claims?: Partial<
    Readonly<{
      size: number;
      packedSize: number;
      crc: number;
      offset: number;
      localName: string;
      method: number;
      flags: number;
      attributes: number;
      zip64: boolean;
      entries: number;
      directoryOffset: number;
    }>
  >;
}>;

const record = (...fields: ReadonlyArray<readonly [bytes: 2 | 4 | 8, value: number]>): Buffer =>
  Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
      return field.subarray(0, bytes);
    }),
  );

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const MAX = 0xffffffff;

/** An entry's local header with its bytes, and its record in the directory. */
function writeEntry({ name, content, claims = {} }: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { raw, size, crc } = Buffer.isBuffer(content) || typeof content === 'string' ? packed(Buffer.from(content)) : content;
  const header = { size, crc, packedSize: raw.length, offset, method: 8, flags: 0, attributes: 0, localName: name, ...claims };
  const wide = claims.zip64 === true || header.size > MAX;
  const extra = wide ? record([2, 1], [2, 16], [8, header.size], [8, header.packedSize]) : Buffer.alloc(0);
  const [localName, centralName] = [Buffer.from(header.localName), Buffer.from(name)];
  const sizes = [
    [4, header.crc],
    [4, wide ? MAX : header.packedSize],
    [4, wide ? MAX : header.size],
  ] as const;
  const common = [[2, header.flags], [2, header.method], [4, 0x210000], ...sizes] as const;
  return {
    local: Buffer.concat([record([4, LOCAL], [2, 45], ...common, [2, localName.length], [2, extra.length]), localName, extra, raw]),
    central: Buffer.concat([
      record(
        [4, CENTRAL],
        [2, 45],
        [2, 45],
        ...common,
        [2, centralName.length],
        [2, extra.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, header.attributes],
        [4, header.offset],
      ),
      centralName,
      extra,
    ]),
  };
}

/** Writes a zip with these claims; no library would write most of them. `last`: false values in the end record of its directory. */
export function writeZip(entries: readonly ZipEntry[], last: NonNullable<ZipEntry['claims']> = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = writeEntry(entry, offset);
    directory.push(central);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = last.entries ?? entries.length;
  return Buffer.concat([
    ...parts,
    central,
    record(
      [4, END],
      [2, 0],
      [2, 0],
      [2, count & 0xffff],
      [2, count & 0xffff],
      [4, central.length],
      [4, last.directoryOffset ?? offset],
      [2, 0],
    ),
  ]);
}
