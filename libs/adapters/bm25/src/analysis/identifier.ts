/** Parts of `getUserName`, `max_tokens`, `HTTPServer`, `os.path.join`, in order, in their own case. */
export const splitIdentifier = (identifier: string): readonly string[] =>
  identifier.split(/[._]+/u).flatMap((part) => part.match(CASE_PARTS) ?? []);

/**
 * A row of capitals up to the one that begins a word; a word with its digits (`sha256`, `utf8`); a row of capitals; digits.
 * Letters and digits are not parted: `p53` is a name.
 */
const CASE_PARTS = /[\p{Lu}\p{Lt}]+(?=[\p{Lu}\p{Lt}]\p{Ll})|[\p{Lu}\p{Lt}]?[^\p{Lu}\p{Lt}]+|[\p{Lu}\p{Lt}]+\p{N}*/gu;
