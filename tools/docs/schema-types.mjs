/** TypeScript declarations of the named schemas of the HTTP API, as a client sees them: name to text, comment and mentioned names. */
import { inRoot } from '../setup/workspace.mjs';

const WIDTH = 110;

const nameIn = ($ref) => $ref.split('/').at(-1);
const literal = (value) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value));
const union = (parts) => [...new Set(parts)].join(' | ');
const listOf = (item) => `${/[|{]/.test(item) && !item.startsWith('{') ? `(${item})` : item}[]`;

const SIMPLE = { integer: 'number' };

const objectText = ({ properties, required = [], additionalProperties }, indent) => {
  if (properties === undefined)
    return additionalProperties === undefined ? 'object' : `Record<string, ${textOf(additionalProperties, indent)}>`;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => ({
    comment: property.description,
    text: `${name}${required.includes(name) ? '' : '?'}: ${textOf(property, inner)};`,
  }));
  const short = `{ ${members.map(({ text }) => text.replace(/;$/, '')).join('; ')} }`;
  if (members.every(({ comment }) => comment === undefined) && !short.includes('\n') && indent.length + short.length <= WIDTH) return short;
  return `{\n${members.map(({ comment, text }) => `${comment === undefined ? '' : `${inner}/** ${comment} */\n`}${inner}${text}`).join('\n')}\n${indent}}`;
};

const textOf = (schema, indent = '') => {
  const { $ref, enum: values, const: only, anyOf, type, items, prefixItems } = schema;
  if ($ref !== undefined) return nameIn($ref);
  if (values !== undefined) return union(values.map(literal));
  if (only !== undefined) return literal(only);
  if (anyOf !== undefined) return union(anyOf.map((each) => textOf(each, indent)));
  if (Array.isArray(type)) return union(type.map((each) => textOf({ ...schema, type: each }, indent)));
  if (prefixItems !== undefined)
    return `[${prefixItems.map(({ title, ...each }) => `${title === undefined ? '' : `${title}: `}${textOf(each, indent)}`).join(', ')}]`;
  if (type === 'array') return listOf(textOf(items, indent));
  if (type === 'object') return objectText(schema, indent);
  return type === undefined ? 'unknown' : (SIMPLE[type] ?? type);
};

export const schemaTypes = async () => {
  const { namedSchemas } = await import(inRoot('libs/contracts/src/http/index.ts'));
  return new Map(
    Object.entries(namedSchemas()).map(([name, schema]) => [
      name,
      {
        name,
        comment: schema.description ?? '',
        text: `type ${name} = ${textOf(schema)};`,
        mentions: [...JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, other]) => other),
      },
    ]),
  );
};

/** A type and all types that it mentions, each once. */
export const withMentioned = (names, types) => {
  const found = new Map();
  const visit = (name) => {
    if (found.has(name) || !types.has(name)) return;
    found.set(name, types.get(name));
    for (const other of types.get(name).mentions) visit(other);
  };
  for (const name of names) visit(name);
  return [...found.values()];
};
