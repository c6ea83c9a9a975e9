export { EventCodec, UnreadableEvent, type Upcaster, type WireEvent, type WireEvents } from './event-codec.ts';
export { domainCodec } from './domain-codec.ts';
export { Journal, type Loaded, type Executed, type FactBatch } from './journal.ts';
export { sealText, openText, sealVector, openVector, sealBlob, openBlob, toBase64, fromBase64, searchText } from './sealing.ts';
export { TOPICS, GROUPS, processDocument, reembed, requestReembedding, type ProcessDocument, type Reembed } from './topics.ts';
export { canonicalAttributes, lexicalDigest, vectorDigest } from './index-digests.ts';
export { refuseBlank, requireFit } from './embedding-requirements.ts';
export { parseInput } from './parse-input.ts';
export { wire } from './schemas/values.ts';
