import { badFormat, invalid, isSet, onlyFields, wrongInput } from './refusal.mjs';

const KNOWN = [
  'vectors',
  'sparse_vectors',
  'hnsw_config',
  'optimizers_config',
  'quantization_config',
  'replication_factor',
  'shard_number',
  'write_consistency_factor',
  'on_disk_payload',
  'wal_config',
  'sharding_method',
  'strict_mode_config',
  'metadata',
];

/** The checked body of a creation. Settings that only tune the real server are stored and returned, without effect. */
export const collectionConfig = (raw) => {
  const { vectors, sparse_vectors: sparse, ...tuning } = onlyFields(raw, 'collection', KNOWN);
  const named = vectors === undefined ? {} : 'size' in vectors ? { '': vectors } : vectors;
  for (const params of Object.values(named)) checkVectors(params);
  for (const params of Object.values(sparse ?? {})) {
    onlyFields(params, 'sparse_vectors', ['index', 'modifier']);
    if (isSet(params.modifier) && !['none', 'idf'].includes(params.modifier)) throw badFormat('modifier: expected none or idf');
  }
  for (const factor of ['replication_factor', 'shard_number', 'write_consistency_factor'])
    if (isSet(tuning[factor]) && !(Number.isInteger(tuning[factor]) && tuning[factor] > 0))
      throw invalid(`${factor}: value must be 1 or larger`);
  return { vectors: named, sparse_vectors: sparse ?? {}, tuning, payload_schema: {} };
};

const checkVectors = (params) => {
  onlyFields(params, 'vectors', ['size', 'distance', 'hnsw_config', 'quantization_config', 'on_disk', 'datatype', 'multivector_config']);
  if (!Number.isInteger(params.size) || params.size < 1 || params.size > 65_535)
    throw invalid('vectors.size: value must be 1 or larger, at most 65535');
  if (!['Cosine', 'Dot', 'Euclid'].includes(params.distance))
    throw badFormat('distance: unknown variant (to this test server), expected Cosine, Euclid or Dot');
  if (isSet(params.multivector_config) && params.multivector_config.comparator !== 'max_sim')
    throw badFormat('multivector_config.comparator: unknown variant, expected max_sim');
  if (isSet(params.datatype) && params.datatype !== 'float32') throw wrongInput('datatype: this test server only supports float32');
};

const TYPES = ['keyword', 'integer', 'float', 'bool'];
const OPTIONS = {
  keyword: ['type', 'is_tenant', 'on_disk'],
  integer: ['type', 'lookup', 'range', 'is_principal', 'on_disk'],
  float: ['type', 'is_principal', 'on_disk'],
  bool: ['type', 'on_disk'],
};

/** `field_schema` of a payload index. */
export const payloadSchema = (raw) => {
  const type = typeof raw === 'string' ? raw : raw?.type;
  if (!TYPES.includes(type)) throw badFormat(`field_schema: expected one of ${TYPES.join(', ')} (in this test server)`);
  if (typeof raw !== 'string') onlyFields(raw, 'field_schema', OPTIONS[type]);
  return raw;
};

const FORBIDDEN = [...'<>:"/\\|?*', '\0', '\u001f'];

/** Like the real one: refuses characters that cannot be in a path. */
export const checkName = (name) => {
  if (name.length === 0 || name.length > 255 || FORBIDDEN.some((character) => name.includes(character)))
    throw invalid(`collection_name: collection name cannot be "${name}"`);
  return name;
};
