/** Cuts writes into upserts of at most so many points and (estimated) bytes; a point larger than that goes alone. */
export const batches = <T>(items: readonly T[], bytesOf: (item: T) => number, limits: Readonly<{ points: number; bytes: number }>): readonly (readonly T[])[] => {
  const found: T[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = bytesOf(item);
    const last = found.at(-1);
    if (last === undefined || last.length >= limits.points || bytes + size > limits.bytes) {
      found.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return found;
};
