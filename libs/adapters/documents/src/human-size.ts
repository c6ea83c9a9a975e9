/** Formats a number of bytes for people: `950 bytes`, `12.3 MB`, `10.0 GB` (powers of ten). */
export function humanSize(bytes: number): string {
  const units = [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const;
  for (const [unit, size] of units) {
    if (bytes >= size) {
      const value = bytes / size;
      return `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`;
    }
  }
  return `${bytes} bytes`;
}

/** `12,345`, independent of the machine's locale. */
export const humanCount = (count: number): string => count.toLocaleString('en-US');
