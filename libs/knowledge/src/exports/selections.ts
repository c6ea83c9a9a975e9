export {
  satisfiesTerms,
  termConditions,
  type ChunkSelection,
  type EntryReadings,
  type SelectedChunks,
  type TermConditions,
  type WordConditions,
} from '../ports/word-conditions.ts';
