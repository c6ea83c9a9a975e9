export { readBeir, type BeirFiles } from './beir-files.ts';
export { isCorpus, readChosenFiles } from './chosen-files.ts';
export { readCsv, REQUIRED_COLUMNS } from './csv-file.ts';
export { derivedId } from './derived-id.ts';
export { GoldenFileError, placeOf, type GoldenFile, type Place, type PlacedQuery, type TextFile } from './golden-file.ts';
export { nameOf } from './judged-query.ts';
