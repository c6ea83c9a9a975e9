export {
  satisfiesTerms,
  termConditions,
  type ChunkSelection,
  type EntryReadings,
  type SelectedChunks,
  type TermConditions,
  type WordConditions,
} from '../ports/word-conditions.ts';
export { termsOfWord, type WordFrequency } from '../ports/word-frequencies.ts';
