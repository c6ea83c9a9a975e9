import { packed, type Packed } from './packed.ts';

/** An entry of a zip; whatever is not given is told as it is. */
export type ZipEntry = Readonly<{
  name: string | Buffer;
  content: string | Buffer | Packed;
  /** Lies. */
  claims?: Partial<Readonly<{ size: number; packedSize: number; crc: number; offset: number; localName: string; method: number; flags: number; attributes: number; zip64: boolean; entries: number; directoryOffset: number }>>;
}>;

const record = (...fields: ReadonlyArray<readonly [bytes: 2 | 4 | 8, value: number]>): Buffer =>
  Buffer.concat(fields.map(([bytes, value]) => {
    const field = Buffer.alloc(8);
    field.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
    return field.subarray(0, bytes);
  }));

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const MOST = 0xffffffff;

/** A zip that says what it is told to say; no library would write most of these. `last` are the lies of its directory's end. */
export function writeZip(entries: readonly ZipEntry[], last: NonNullable<ZipEntry['claims']> = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claims = {} } of entries) {
    const { raw, size, crc } = Buffer.isBuffer(content) || typeof content === 'string' ? packed(Buffer.from(content)) : content;
    const at = claims.offset ?? offset;
    const told = { size: claims.size ?? size, packed: claims.packedSize ?? raw.length, crc: claims.crc ?? crc, method: claims.method ?? 8, flags: claims.flags ?? 0 };
    const wide = claims.zip64 === true || told.size > MOST;
    const extra = wide ? record([2, 1], [2, 16], [8, told.size], [8, told.packed]) : Buffer.alloc(0);
    const [localName, centralName] = [Buffer.from(claims.localName ?? name), Buffer.from(name)];
    const sizes = [[4, told.crc], [4, wide ? MOST : told.packed], [4, wide ? MOST : told.size]] as const;
    const local = Buffer.concat([record([4, LOCAL], [2, 45], [2, told.flags], [2, told.method], [4, 0x210000], ...sizes, [2, localName.length], [2, extra.length]), localName, extra, raw]);
    directory.push(record([4, CENTRAL], [2, 45], [2, 45], [2, told.flags], [2, told.method], [4, 0x210000], ...sizes, [2, centralName.length], [2, extra.length], [2, 0], [2, 0], [2, 0], [4, claims.attributes ?? 0], [4, at]), centralName, extra);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = last.entries ?? entries.length;
  return Buffer.concat([...parts, central, record([4, END], [2, 0], [2, 0], [2, count & 0xffff], [2, count & 0xffff], [4, central.length], [4, last.directoryOffset ?? offset], [2, 0])]);
}
