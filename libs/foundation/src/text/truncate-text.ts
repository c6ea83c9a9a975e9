export type TruncatedText = Readonly<{ text: string; truncated: boolean }>;

/** Truncates a text to at most `maxChars` UTF-16 units, never inside a surrogate pair. */
export const truncateText = (text: string, maxChars: number): TruncatedText => {
  if (text.length <= maxChars) return { text, truncated: false };
  const last = text.charCodeAt(maxChars - 1);
  const endsInPair = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, endsInPair ? maxChars - 1 : maxChars), truncated: true };
};
