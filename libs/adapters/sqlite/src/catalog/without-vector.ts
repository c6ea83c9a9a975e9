/**
 * SQL: rows `r` of the indexed chunks that the model of the active generation refused. A chunk that a later version removed keeps its row,
 * because it may return. `CROSS JOIN` makes SQLite start with the refused chunks, which are few.
 */
export const WITHOUT_VECTOR = `refused_chunks r
  CROSS JOIN generations g ON g.tenant = r.tenant AND g.scope = r.scope AND g.status = 'active' AND g.recipe ->> '$.embedding.version' = r.model
  CROSS JOIN chunks c ON c.tenant = r.tenant AND c.id = r.chunk AND c.list = g.list`;
