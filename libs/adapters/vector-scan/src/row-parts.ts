/** Rows, one after the other, in parts of `rowsPerPart`; the last part may have fewer. */
export type RowParts = Readonly<{ rowsPerPart: number; parts: readonly Uint8Array[] }>;

/** A row that is read from the file costs the opening of its part: little, but enough rows that a part costs few bytes more when sealed. */
const PART_BYTES = 8192;

export const rowsInPart = (rowBytes: number): number => Math.max(1, Math.floor(PART_BYTES / Math.max(1, rowBytes)));

/** Divides rows of `rowBytes` bytes each into parts. They share the memory of `bytes`. */
export const inParts = (bytes: Uint8Array, rowBytes: number): RowParts => {
  const rowsPerPart = rowsInPart(rowBytes);
  const size = rowsPerPart * rowBytes;
  const count = rowBytes === 0 ? 0 : Math.ceil(bytes.length / size);
  return { rowsPerPart, parts: Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size)) };
};

/** The bytes of row `row`. */
export const rowOf = ({ rowsPerPart, parts }: RowParts, rowBytes: number, row: number): Uint8Array => {
  const at = (row % rowsPerPart) * rowBytes;
  const part = parts[Math.floor(row / rowsPerPart)];
  if (part === undefined) throw new RangeError(`there is no row ${row}`);
  return part.subarray(at, at + rowBytes);
};
