/**
 * Encodes a name as a folder name that is valid and unique on every file system. ":" becomes "+". Upper-case letters become lower case,
 * followed by "=" and a hexadecimal number that marks them (bit i for character i), since some file systems ignore case. Device names
 * that Windows reserves get a bare "=". The result is at most 1.3 times as long as the name.
 */
export const folderName = (name: string): string => {
  let upper = 0n;
  for (let i = 0; i < name.length; i++) if (/[A-Z]/.test(name.charAt(i))) upper |= 1n << BigInt(i);
  const plain = name.toLowerCase().replaceAll(':', '+');
  const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/.test(plain);
  return upper > 0n ? `${plain}=${upper.toString(16)}` : reserved ? `${plain}=` : plain;
};

/** The name of a folder; undefined if `folderName` did not create that folder name. */
export const nameOfFolder = (folder: string): string | undefined => {
  const [plain = '', bits = ''] = folder.split('=');
  const upper = /^[0-9a-f]+$/.test(bits) ? BigInt(`0x${bits}`) : 0n;
  const name = Array.from(plain.replaceAll('+', ':'), (char, i) => ((upper >> BigInt(i)) & 1n ? char.toUpperCase() : char)).join('');
  return folderName(name) === folder ? name : undefined;
};
