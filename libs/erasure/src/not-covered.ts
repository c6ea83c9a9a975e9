/** What the receipt of an erasure does not cover, whatever the installation. */
export const NOT_COVERED = [
  'backups of earlier dates, and copies of the disk: they contain the key',
  'exports, contexts and answers that callers received, and what they did with them',
  'what a provider of an embedding model keeps',
  'vectors in caches of embeddings, under keyed digests and without texts: in the memory of other processes until others take their place, and what a process was embedding when the key was destroyed',
  'names that are not sealed: of the tenant, the scope and its knowledge bases, and actors, sizes, media types, languages and times on the log',
];
