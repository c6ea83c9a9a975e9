/** Splits `getUserName`, `max_tokens`, `HTTPServer`, `os.path.join` into their parts, in order, without changing their case. */
export const splitIdentifier = (identifier: string): readonly string[] =>
  identifier.split(/[._]+/u).flatMap((part) => part.match(CASE_PARTS) ?? []);

/**
 * A sequence of capitals up to the one that starts a word; a word with its digits (`sha256`, `utf8`); a sequence of capitals; digits.
 * Letters and digits are not separated: `p53` is a name.
 */
const CASE_PARTS = /[\p{Lu}\p{Lt}]+(?=[\p{Lu}\p{Lt}]\p{Ll})|[\p{Lu}\p{Lt}]?[^\p{Lu}\p{Lt}]+|[\p{Lu}\p{Lt}]+\p{N}*/gu;
