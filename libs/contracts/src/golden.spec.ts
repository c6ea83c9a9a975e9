import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject, Position, RecordedEvent, StreamName } from '@palimpsest/knowledge';
import { domainCodec } from './domain-codec.ts';

type Golden = Readonly<{ type: (typeof types)[number]; metadata: JsonObject; data: JsonObject }>;

const folder = new URL('../golden/', import.meta.url);
const types = domainCodec.types();
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const golden = (file: string): Golden => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden;

const recorded = ({ type, metadata, data }: Golden): RecordedEvent => ({
  type, metadata, data, id: '7d444840-9dc0-81d1-b245-5ffdce74fad2', stream: 'document-acme-a' as StreamName, revision: 3, position: 42n as Position,
  recordedAt: '2026-11-22T08:00:01.000Z',
});

describe('Golden events', () => {
  it('are there for every version of every type, and for nothing else', () => {
    const wanted = types.flatMap((type) => Array.from({ length: domainCodec.version(type) }, (_, i) => `${type}.v${i + 1}.json`));
    expect(files.map((name) => name.replace(/\+[a-z-]+(?=\.json$)/, '')).filter((name, i, all) => all.indexOf(name) === i).sort()).toEqual(wanted.sort());
  });

  it.each(files)('%s can be read', (file) => {
    const { event, metadata } = domainCodec.decode(recorded(golden(file)));
    expect(event.type).toBe(golden(file).type);
    expect(metadata).toMatchObject({ tenant: 'acme', scope: 'team:red', actor: 'key:ci', correlationId: 'r-1' });
  });

  it.each(types)('%s of the current version comes back as it was written, and is written as it was read', (type) => {
    const file = golden(`${type}.v${domainCodec.version(type)}.json`);
    const { event, metadata, id } = domainCodec.decode(recorded(file));
    expect(event.data).toEqual(file.data);
    const { scope, causationId, traceparent, ...rest } = metadata;
    expect(domainCodec.encode(event, metadata, id)).toEqual({
      id, type, data: file.data, metadata: { ...rest, scope, causationId, traceparent, schemaVersion: domainCodec.version(type) },
    });
  });

  it.each(files.filter((name) => name.includes('+')))('%s, with what is optional, comes back as it was written', (file) => {
    const { event } = domainCodec.decode(recorded(golden(file)));
    expect(event.data).toEqual(golden(file).data);
  });

  it.each(types)('%s is refused without one of its fields, by its name and position', (type) => {
    const file = golden(`${type}.v${domainCodec.version(type)}.json`);
    const optional = new Set(['title', 'fileName', 'mediaType', 'page', 'symbol', 'minScore', 'topScore', 'user', 'tier', 'teams', 'problem', 'until', 'from', 'dropped']);
    const required = Object.keys(file.data).filter((field) => type === 'DocumentIndexed' || !optional.has(field));
    for (const field of required) {
      const { [field]: _left, ...data } = file.data;
      expect(() => domainCodec.decode(recorded({ ...file, data }))).toThrow(new RegExp(`${type} at position 42: ${field} `));
    }
  });
});
