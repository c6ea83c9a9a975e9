const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A size for people: three digits and a unit. */
export const sizeOf = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toPrecision(3)} ${UNITS[power]}`;
};
