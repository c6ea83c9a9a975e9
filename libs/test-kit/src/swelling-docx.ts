import { crc32, deflateRawSync } from 'node:zlib';
import type { ParseInput } from '@palimpsest/knowledge/ports';

/** A zip file with one entry, whose claimed size can differ from its real size. */
function zipOf(name: string, packed: Uint8Array, claimedSize: number, crc: number): Uint8Array {
  const file = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(crc, 14);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(claimedSize, 22);
  local.writeUInt16LE(file.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  central.writeUInt16LE(20, 6);
  local.copy(central, 10, 8, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length + file.length, 12);
  end.writeUInt32LE(local.length + file.length + packed.length, 16);
  return Buffer.concat([local, file, packed, central, file, end]);
}

/** A Word file whose only part expands to `size` bytes of spaces but claims `claimed`. */
export function swellingDocx(size: number, claimed: number): ParseInput {
  const spaces = Buffer.alloc(size, 32);
  const bytes = zipOf('word/document.xml', deflateRawSync(spaces), claimed, crc32(spaces));
  return { bytes, fileName: 'swelling.docx' };
}
