/** What to look for: words, texts and vectors as they would be in a file that keeps them. */

/** A text as UTF-8 and as UTF-16: databases use both. At least eight bytes. */
export const textProbes = (name, text) => [
  { name, bytes: Buffer.from(text) },
  { name, bytes: Buffer.from(text, 'utf16le') },
];

/** Pieces of 64 bytes of a vector of float32 values, little-endian. */
export const vectorProbes = (name, vector) => {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  const probes = [];
  for (let at = 0; at + 64 <= bytes.length; at += 64) probes.push({ name, bytes: bytes.subarray(at, at + 64) });
  return probes;
};

/** The words of at least eight letters of a text. */
export const longWords = (text) => [...new Set(text.match(/\p{L}{8,}/gu) ?? [])];
